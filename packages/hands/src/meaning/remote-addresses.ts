import { repositoryPlace } from './push-places.ts';

/** The settings that git uses for a repository, decoded. */
export interface RemoteSettings {
  /** All values of a setting, in order: `all('remote.url', 'origin')`. */
  readonly all: (name: string, subsection?: string) => readonly string[];
  /** The subsections that have the setting: `subsections('remote.url')` are the remotes. */
  readonly subsections: (name: string) => readonly string[];
  /** The names of all settings: `remote.url`. */
  readonly names: () => readonly string[];
}

/** Returns the value of a setting that is given once or more: the last one. */
export const lastValue = (settings: RemoteSettings, name: string, subsection?: string): string | undefined => settings.all(name, subsection).at(-1);

/** What git reads as true. */
const TRUE = /^(?:true|yes|on|[+-]?0*[1-9]\d*[kmg]?)$/iu;
export const isOn = (value: string | undefined): boolean => value !== undefined && TRUE.test(value);

/** The remotes, with those that have any setting: git counts them too. */
const remotesOf = (settings: RemoteSettings): readonly string[] => [
  ...new Set(
    settings
      .names()
      .filter((name) => name.startsWith('remote.'))
      .flatMap((name) => settings.subsections(name)),
  ),
];

/** The remote that git takes when a command names none. */
export function usualRemote(settings: RemoteSettings, branch: string | undefined, kind: 'push' | 'fetch'): string {
  const fetched = branch === undefined ? undefined : lastValue(settings, 'branch.remote', branch);
  const pushed = branch === undefined ? undefined : lastValue(settings, 'branch.pushremote', branch);
  const own = kind === 'push' ? (pushed ?? lastValue(settings, 'remote.pushdefault') ?? fetched) : fetched;
  const remotes = remotesOf(settings);
  return own ?? (remotes.length === 1 ? remotes[0] : undefined) ?? 'origin';
}

/** An address after the longest prefix that a setting replaces; undefined if none applies. */
function rewritten(settings: RemoteSettings, address: string, name: string): string | undefined {
  let longest = '';
  let base: string | undefined;
  for (const subsection of settings.subsections(name)) {
    for (const prefix of settings.all(name, subsection)) {
      if (prefix.length <= longest.length || !address.startsWith(prefix)) continue;
      longest = prefix;
      base = subsection;
    }
  }
  return base === undefined ? undefined : `${base}${address.slice(longest.length)}`;
}

/** Schemes whose host git connects to itself. Others, and `ext::…`, start a program that may go anywhere. */
const SCHEME = /^(?:https?|ssh|git|git\+ssh|ssh\+git|ftps?|file):\/\//iu;

/**
 * Whether an address stands for the place that it names. Without a slash it may be a nickname, which a file in `.git/remotes` gives
 * another address.
 */
export function isCertainAddress(address: string): boolean {
  if (address === '.') return true;
  return (
    address.includes('/') && !address.startsWith('-') && !/^[\w.+-]*::/u.test(address) && (!/^[\w.+-]*:\/\//u.test(address) || SCHEME.test(address))
  );
}

/**
 * The addresses of a remote, or of the address that is given in its place; undefined if there is no such remote, or if one of them is not
 * certain.
 */
export function remotePlaces(settings: RemoteSettings, remote: string, kind: 'push' | 'fetch'): readonly string[] | undefined {
  // It starts a program that may go anywhere.
  if (settings.all('remote.vcs', remote).length > 0) return undefined;
  const known = settings.all('remote.url', remote);
  const pushed = kind === 'push' ? settings.all('remote.pushurl', remote) : [];
  // Some versions of git drop the values before an empty one, others do not.
  if ([...known, ...pushed].includes('')) return undefined;
  const given = known.length > 0 || pushed.length > 0 ? known : isCertainAddress(remote) ? [remote] : [];
  const replaced = given.map((address) => rewritten(settings, address, 'url.insteadof') ?? address);
  const elsewhere = kind === 'push' ? given.flatMap((address) => rewritten(settings, address, 'url.pushinsteadof') ?? []) : [];
  const own = pushed.map((address) => rewritten(settings, address, 'url.insteadof') ?? address);
  const found = own.length > 0 ? own : elsewhere.length > 0 ? elsewhere : replaced;
  // A fetch goes to the first address only.
  const used = kind === 'push' ? found : found.slice(0, 1);
  // The address of a remote may be without a slash: it is no nickname.
  const isCertain = used.every((address) =>
    isCertainAddress(/^[^/:]+:[^/:]/u.test(address) && known.length + pushed.length > 0 ? `${address}/` : address),
  );
  return used.length === 0 || !isCertain ? undefined : [...new Set(used.map(repositoryPlace))];
}
