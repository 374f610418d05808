import { domainToASCII } from 'node:url';
import { readAddress, withoutCredentials } from '../danger/git-address.ts';
import { plainValue, type GitSetting } from '../danger/git-settings.ts';
import { shownName, shownText } from './quoted.ts';

const MAX_ADDRESS = 120;
/** `ext::sh -c …`: git starts the program `git-remote-ext`, which may go anywhere. */
const HELPER = /^[\w.+-]*::/u;

/** A host as the network names it: other letters look like those of a known host. */
function asciiHost(host: string): string {
  if (/^[\x21-\x7e]*$/u.test(host)) return host;
  const encoded = domainToASCII(host);
  return encoded.includes('xn--') ? encoded : host.replaceAll(/[^\x21-\x7e]/gu, '?');
}

/** The address of a repository as a person says it, without credentials: `github.com/a/b`. */
export function repositoryPlace(address: string): string {
  if (HELPER.test(address)) return `a helper program, ${shownText(withoutCredentials(address), MAX_ADDRESS)}`;
  const found = readAddress(address);
  if (found === undefined) return shownText(withoutCredentials(address), MAX_ADDRESS);
  // What looks like an address with a password, and is not one, may still have it before an `@`.
  const path = found.path.replace(/^\/+/u, '').replace(/^[^/]*@/u, '…@');
  const place = `${asciiHost(found.host)}${found.port}/${path.replace(/\.git\/*$/u, '')}`;
  return /^[-\w.:/[\]~+@…]+$/u.test(place) && place.length <= MAX_ADDRESS ? place : shownText(place, MAX_ADDRESS);
}

/** The name of a remote or branch. git also takes an address for one. */
const placeName = (name: string): string => shownName(withoutCredentials(name));
const beginning = (address: string): string => shownText(withoutCredentials(address));

/** What a setting decides, and what a new value means. */
interface Meaning {
  readonly decides: string;
  readonly says: (name: string, value: string) => string;
}

const GOES = 'where later pushes go';
const SENDS = 'what later pushes send';
const WHO = 'who makes later commits';

/** Settings that decide where pushes go, what they send, and in whose name commits are made. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  'remote.url': { decides: GOES, says: (name, value) => `remote ${name} to ${repositoryPlace(value)}` },
  'remote.pushurl': { decides: GOES, says: (name, value) => `pushes to remote ${name} to ${repositoryPlace(value)}` },
  'remote.pushdefault': { decides: GOES, says: (_, value) => `all branches to remote ${placeName(value)}` },
  'branch.remote': { decides: GOES, says: (name, value) => `branch ${name} to remote ${placeName(value)}` },
  'branch.pushremote': { decides: GOES, says: (name, value) => `branch ${name} to remote ${placeName(value)}` },
  // They rewrite the addresses of remotes.
  'url.insteadof': { decides: GOES, says: (name, value) => `addresses that begin with ${beginning(value)} to ${name}` },
  'url.pushinsteadof': { decides: GOES, says: (name, value) => `pushes to addresses that begin with ${beginning(value)} to ${name}` },
  'remote.push': { decides: SENDS, says: (name, value) => `to remote ${name}: ${shownText(value)}` },
  'remote.mirror': { decides: SENDS, says: (name, value) => `to remote ${name}: mirror is ${shownText(value)}` },
  'push.default': { decides: SENDS, says: (_, value) => shownText(value) },
  'user.name': { decides: WHO, says: (_, value) => shownText(value) },
  'user.email': { decides: WHO, says: (_, value) => shownText(value) },
  'user.signingkey': { decides: WHO, says: (_, value) => `signed with ${shownText(value)}` },
  'submodule.url': { decides: 'where submodules come from', says: (name, value) => `${name} from ${repositoryPlace(value)}` },
};

/** Settings of which all values count. Of others, it is the last one. */
const MULTIPLE = /^(?:remote\.(?:url|pushurl|push)|url\..*)$/u;

interface Setting {
  readonly name: string;
  readonly subsection: string;
  readonly values: string[];
}

/** The settings with a meaning, by name and subsection. */
function settingsIn(settings: readonly GitSetting[]): Map<string, Setting> {
  const found = new Map<string, Setting>();
  for (const { name, subsection, value } of settings) {
    if (!Object.hasOwn(MEANINGS, name)) continue;
    const key = JSON.stringify([name, subsection]);
    const known = found.get(key);
    if (known !== undefined && MULTIPLE.test(name)) known.values.push(plainValue(value));
    else found.set(key, { name, subsection, values: [plainValue(value)] });
  }
  return found;
}

/** Returns what a change of a git configuration means for later commits and pushes, one sentence each. */
export function pushSentences(before: readonly GitSetting[], after: readonly GitSetting[]): string[] {
  const [old, now] = [settingsIn(before), settingsIn(after)];
  const remotes = new Set(before.filter(({ name }) => name.startsWith('remote.')).map(({ subsection }) => subsection));
  const said = ({ name, subsection }: Setting, value: string): string => {
    const shown = placeName(subsection);
    if (name === 'remote.url' && !remotes.has(subsection)) return `adds remote ${shown} at ${repositoryPlace(value)}`;
    return `changes ${MEANINGS[name]?.decides}: ${MEANINGS[name]?.says(shown, value)}`;
  };
  return [
    ...[...now].flatMap(([key, setting]) => {
      const were = new Set(old.get(key)?.values);
      if (JSON.stringify(old.get(key)?.values) === JSON.stringify(setting.values)) return [];
      const added = setting.values.filter((value) => !were.has(value));
      // Without a new one, others are left, or in another order.
      return [...new Set(added.length > 0 ? added : setting.values)].map((value) => said(setting, value));
    }),
    ...[...old].flatMap(([key, { name, subsection }]) => {
      if (now.has(key)) return [];
      if (name === 'remote.url') return [`removes remote ${placeName(subsection)}`];
      return [`changes ${MEANINGS[name]?.decides}: ${name}${subsection === '' ? '' : ` of ${placeName(subsection)}`} is removed`];
    }),
  ];
}
