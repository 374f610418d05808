import { repositoryPlace } from './push-places.ts';

/** The settings that git uses for a repository, decoded. */
export interface RemoteSettings {
  /** All values of a setting, in order: `all('remote.url', 'origin')`. */
  readonly all: (name: string, subsection?: string) => readonly string[];
  /** The subsections that have the setting: `subsections('remote.url')` are the remotes. */
  readonly subsections: (name: string) => readonly string[];
}

const last = (values: readonly string[]): string | undefined => values.at(-1);

/** An address, or a path: it has a colon or a slash, which names of remotes rarely have. */
const ADDRESS = /[:/]/u;
const isAddress = (text: string): boolean => ADDRESS.test(text) || text === '.';

/** The remote that git takes when a command names none. */
export function usualRemote(settings: RemoteSettings, branch: string | undefined, kind: 'push' | 'fetch'): string {
  const fetched = branch === undefined ? undefined : last(settings.all('branch.remote', branch));
  const pushed = branch === undefined ? undefined : last(settings.all('branch.pushremote', branch));
  const own = kind === 'push' ? (pushed ?? last(settings.all('remote.pushdefault')) ?? fetched) : fetched;
  const remotes = settings.subsections('remote.url');
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

/** An empty value removes those before it. */
const afterReset = (values: readonly string[]): readonly string[] => values.slice(values.lastIndexOf('') + 1);

/** The addresses of a remote, or of the address that is given in its place; undefined if there is no such remote. */
export function remotePlaces(settings: RemoteSettings, remote: string, kind: 'push' | 'fetch'): readonly string[] | undefined {
  const known = afterReset(settings.all('remote.url', remote));
  const pushed = kind === 'push' ? afterReset(settings.all('remote.pushurl', remote)) : [];
  const given = known.length > 0 || pushed.length > 0 ? known : isAddress(remote) ? [remote] : [];
  const replaced = given.map((address) => rewritten(settings, address, 'url.insteadof') ?? address);
  const elsewhere = kind === 'push' ? given.flatMap((address) => rewritten(settings, address, 'url.pushinsteadof') ?? []) : [];
  const own = pushed.map((address) => rewritten(settings, address, 'url.insteadof') ?? address);
  const found = own.length > 0 ? own : elsewhere.length > 0 ? elsewhere : replaced;
  // A fetch goes to the first address only.
  const used = kind === 'push' ? found : found.slice(0, 1);
  return used.length === 0 ? undefined : [...new Set(used.map(repositoryPlace))];
}
