import { addressesOf, chosenRemote, finalAddresses, type RemoteSettings } from '../danger/remote-settings.ts';
import { repositoryPlace } from './push-places.ts';

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
  const remotes = remotesOf(settings);
  return chosenRemote(settings, branch, kind)?.value ?? (remotes.length === 1 ? remotes[0] : undefined) ?? 'origin';
}

/** Schemes whose host git connects to itself. Others, and `ext::…`, start a program that may go anywhere. */
const SCHEME = /^(?:https?|ssh|git|git\+ssh|ssh\+git|ftps?|file):\/\//iu;

/** `[host:port]:path`, and a host with the name of a scheme: what a person reads there is not where it goes. */
const UNUSUAL = /^(?:(?:[^/]*@)?\[|(?:[^/:]*@)?(?:https?|ssh|git|ftps?|file):(?!\/\/))/iu;

/**
 * Whether an address stands for the place that it names. Without a slash it may be a nickname, which a file in `.git/remotes` gives
 * another address.
 */
export function isCertainAddress(address: string): boolean {
  if (address === '.') return true;
  return (
    address.includes('/') &&
    !UNUSUAL.test(address) &&
    !address.startsWith('-') &&
    !/^[\w.+-]*::/u.test(address) &&
    (!/^[\w.+-]*:\/\//u.test(address) || SCHEME.test(address))
  );
}

/**
 * The addresses of a remote, or of the address that is given in its place; undefined if there is no such remote, or if one of them is not
 * certain.
 */
export function remotePlaces(settings: RemoteSettings, remote: string, kind: 'push' | 'fetch'): readonly string[] | undefined {
  // It starts a program that may go anywhere.
  if (settings.all('remote.vcs', remote).length > 0) return undefined;
  const known = addressesOf(settings, 'remote.url', remote);
  const pushed = kind === 'push' ? addressesOf(settings, 'remote.pushurl', remote) : [];
  // Some versions of git drop the values before an empty one, others do not.
  if ([...known, ...pushed].some(({ value }) => value === '')) return undefined;
  const isRemote = known.length > 0 || pushed.length > 0;
  const given = isRemote ? known : isCertainAddress(remote) ? [{ value: remote, setting: '' }] : [];
  const found = finalAddresses(settings, given, pushed, kind).map(({ value }) => value);
  // A fetch goes to the first address only.
  const used = kind === 'push' ? found : found.slice(0, 1);
  // The address of a remote may be without a slash: it is no nickname.
  const isCertain = used.every((address) => isCertainAddress(/^[^/:]+:[^/:]/u.test(address) && isRemote ? `${address}/` : address));
  return used.length === 0 || !isCertain ? undefined : [...new Set(used.map(repositoryPlace))];
}
