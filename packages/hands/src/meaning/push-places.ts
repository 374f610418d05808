import { readAddress, withoutCredentials } from '../danger/git-address.ts';
import { plainValue, type GitSetting } from '../danger/git-settings.ts';
import { shownName, shownText } from './quoted.ts';

const MAX_ADDRESS = 120;

/** The address of a repository as a person says it, without credentials: `github.com/a/b`. */
export function repositoryPlace(address: string): string {
  const found = readAddress(address);
  if (found === undefined) return shownText(withoutCredentials(address), MAX_ADDRESS);
  // What looks like an address with a password, and is not one, may still have it before an `@`.
  const path = found.path.replace(/^\/+/u, '').replace(/^[^/]*@/u, '…@');
  const place = `${found.host}${found.port}/${path.replace(/\.git\/*$/u, '')}`;
  return /^[-\w.:/[\]~+@…]+$/u.test(place) && place.length <= MAX_ADDRESS ? place : shownText(place, MAX_ADDRESS);
}

/** The name of a remote or branch. git also takes an address for one. */
const placeName = (name: string): string => shownName(withoutCredentials(name));
const beginning = (address: string): string => shownText(withoutCredentials(address));

/** Settings that decide where pushes go, with what a new value means. */
const PLACES: Readonly<Record<string, (name: string, value: string) => string>> = {
  'remote.url': (name, value) => `remote ${name} to ${repositoryPlace(value)}`,
  'remote.pushurl': (name, value) => `pushes to remote ${name} to ${repositoryPlace(value)}`,
  'remote.pushdefault': (_, value) => `all branches to remote ${placeName(value)}`,
  'branch.remote': (name, value) => `branch ${name} to remote ${placeName(value)}`,
  'branch.pushremote': (name, value) => `branch ${name} to remote ${placeName(value)}`,
  // They rewrite the addresses of remotes.
  'url.insteadof': (name, value) => `addresses that begin with ${beginning(value)} to ${name}`,
  'url.pushinsteadof': (name, value) => `pushes to addresses that begin with ${beginning(value)} to ${name}`,
};

function placesIn(settings: readonly GitSetting[]): Map<string, GitSetting> {
  const leading = settings.filter(({ name }) => Object.hasOwn(PLACES, name));
  return new Map(leading.map((setting) => [JSON.stringify([setting.name, setting.subsection, plainValue(setting.value)]), setting]));
}

/** Returns what a change of a git configuration means for later pushes, one sentence each. */
export function pushSentences(before: readonly GitSetting[], after: readonly GitSetting[]): string[] {
  const [old, now] = [placesIn(before), placesIn(after)];
  const names = new Set(before.filter(({ name }) => name.startsWith('remote.')).map(({ subsection }) => subsection));
  const isNewRemote = ({ name, subsection }: GitSetting): boolean => name === 'remote.url' && !names.has(subsection);
  const left = new Set([...now.values()].map(({ name, subsection }) => JSON.stringify([name, subsection])));
  const gone = [...old.values()].filter(({ name, subsection }) => !left.has(JSON.stringify([name, subsection])));
  return [
    ...[...now].flatMap(([key, setting]) => {
      if (old.has(key)) return [];
      const value = plainValue(setting.value);
      if (isNewRemote(setting)) return [`adds remote ${placeName(setting.subsection)} at ${repositoryPlace(value)}`];
      const said = PLACES[setting.name]?.(placeName(setting.subsection), value);
      return said === undefined ? [] : [`changes where later pushes go: ${said}`];
    }),
    ...gone.map(({ name, subsection }) =>
      name === 'remote.url'
        ? `removes remote ${placeName(subsection)}`
        : `changes where later pushes go: ${name} of ${placeName(subsection)} is removed`,
    ),
  ];
}
