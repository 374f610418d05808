import { plainValue, type GitSetting } from '../danger/git-settings.ts';
import { shownName, shownText } from './quoted.ts';

/** `https://user@host:1/path` and `user@host:path`. */
const ADDRESS =
  /^(?:[a-z][-+.\da-z]*:\/\/(?:[^/@]*@)?(?<host>\[[^\]]*\](?::\d+)?|[^/@]+)(?<path>\/.*)?|(?:[^/@:]*@)?(?<scp>[^/@:]+):(?!\/\/|:)(?<rest>.*))$/isu;
const MAX_ADDRESS = 120;

/** The address of a repository as a person says it, without credentials: `github.com/a/b`. */
export function repositoryPlace(address: string): string {
  const found = ADDRESS.exec(address)?.groups;
  const [host, path] = [found?.['host'] ?? found?.['scp'], found?.['path'] ?? found?.['rest'] ?? ''];
  if (host === undefined) return shownText(address, MAX_ADDRESS);
  const place = `${host.toLowerCase()}/${path.replace(/^\/+/u, '').replace(/\.git\/*$/u, '')}`;
  return /^[-\w.:/[\]~+]+$/u.test(place) && place.length <= MAX_ADDRESS ? place : shownText(place, MAX_ADDRESS);
}

/** Settings that decide where pushes go, with what a new value means. */
const PLACES: Readonly<Record<string, (name: string, value: string) => string>> = {
  'remote.url': (name, value) => `remote ${name} to ${repositoryPlace(value)}`,
  'remote.pushurl': (name, value) => `pushes to remote ${name} to ${repositoryPlace(value)}`,
  'remote.pushdefault': (_, value) => `all branches to remote ${shownName(value)}`,
  'branch.remote': (name, value) => `branch ${name} to remote ${shownName(value)}`,
  'branch.pushremote': (name, value) => `branch ${name} to remote ${shownName(value)}`,
  // They rewrite the addresses of remotes.
  'url.insteadof': (name, value) => `addresses that begin with ${shownText(value)} to ${name}`,
  'url.pushinsteadof': (name, value) => `pushes to addresses that begin with ${shownText(value)} to ${name}`,
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
      if (isNewRemote(setting)) return [`adds remote ${shownName(setting.subsection)} at ${repositoryPlace(value)}`];
      const said = PLACES[setting.name]?.(shownName(setting.subsection), value);
      return said === undefined ? [] : [`changes where later pushes go: ${said}`];
    }),
    ...gone.map(({ name, subsection }) =>
      name === 'remote.url'
        ? `removes remote ${shownName(subsection)}`
        : `changes where later pushes go: ${name} of ${shownName(subsection)} is removed`,
    ),
  ];
}
