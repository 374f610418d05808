import { expect, it } from 'vitest';
import { foldedLine, installSentences, type ChangedList, type FoldedFolder } from './install-sentences.ts';

const folder = (path: string, [added = 0, changed = 0, deleted = 0]: readonly number[], isIgnored?: boolean): FoldedFolder => ({
  path,
  files: 6_589,
  bytes: 41_000_000,
  packages: { added, changed, deleted },
  ...(isIgnored === undefined ? {} : { isIgnored }),
});

it.each<[string, string[], FoldedFolder[], string]>([
  [
    'npm',
    ['package.json', 'package-lock.json'],
    [folder('node_modules', [406], true)],
    'installs 406 packages (package.json, package-lock.json; node_modules ignored by git)',
  ],
  ['npm, without a list', [], [folder('node_modules', [1], false)], 'installs 1 package (node_modules NOT ignored by git)'],
  ['npm, of which git says nothing', [], [folder('node_modules', [1])], 'installs 1 package (node_modules)'],
  [
    'npm update',
    ['package-lock.json'],
    [folder('node_modules', [2, 3, 1], true)],
    'installs 2 packages, updates 3 and removes 1 (package-lock.json; node_modules ignored by git)',
  ],
  [
    'a workspace',
    ['a/package.json'],
    [folder('a/node_modules', [0, 0, 4], true)],
    'removes 4 packages (a/package.json; a/node_modules ignored by git)',
  ],
  ['pip', [], [folder('.venv', [12], true)], 'installs 12 packages (.venv ignored by git)'],
  ['gem', ['Gemfile.lock'], [folder('vendor/bundle', [3], true)], 'installs 3 packages (Gemfile.lock; vendor/bundle ignored by git)'],
  ['composer', ['composer.lock'], [folder('vendor', [3], true)], 'installs 3 packages (composer.lock; vendor ignored by git)'],
])('says what %s installs', (_, files, folders, sentence) => {
  expect(installSentences({ files, locks: [], folders })).toEqual([{ said: sentence, files }]);
});

const npm = (packages: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    packages: { '': {}, ...Object.fromEntries(Object.entries(packages).map(([name, version]) => [`node_modules/${name}`, { version }])) },
  });
const toml = (...names: string[]): string => names.map((name) => `[[package]]\nname = "${name}"\nversion = "1.0.0"\n`).join('\n');

it.each<[ChangedList, string]>([
  [
    { path: 'package-lock.json', before: npm({ a: '1.0.0', b: '1.0.0' }), after: npm({ a: '1.1.0', c: '1.0.0', '@d/e': '2.0.0' }) },
    'adds 2 packages, changes 1 and removes 1',
  ],
  [
    {
      path: 'pnpm-lock.yaml',
      before: '',
      after:
        "lockfileVersion: '9.0'\n\npackages:\n\n  '@a/b@1.0.0':\n    resolution: {}\n\n  c@2.0.0(d@1.0.0):\n    resolution: {}\n\nsnapshots:\n\n  c@2.0.0: {}\n",
    },
    'adds 2 packages',
  ],
  [
    {
      path: 'yarn.lock',
      before: '',
      after: '# yarn lockfile v1\n\n"@a/b@^1.0.0":\n  version "1.0.0"\n  resolved "x"\n\nc@2, c@^2.0.0:\n  version "2.0.0"\n',
    },
    'adds 2 packages',
  ],
  [
    { path: 'yarn.lock', before: '', after: '__metadata:\n  version: 8\n\n"c@npm:^2.0.0":\n  version: 2.0.0\n  resolution: "c@npm:2.0.0"\n' },
    'adds 1 package',
  ],
  [
    { path: 'bun.lock', before: '', after: '{\n  "packages": {\n    "a": ["a@1.0.0", "", {}],\n    "@b/c": ["@b/c@1.0.0", "", {}],\n  }\n}\n' },
    'adds 2 packages',
  ],
  [{ path: 'Cargo.lock', before: toml('a'), after: toml('a', 'b', 'c') }, 'adds 2 packages'],
  [{ path: 'uv.lock', before: toml('a', 'b'), after: toml('a') }, 'removes 1 package'],
  [{ path: 'go.sum', before: '', after: 'example.com/a v1.0.0 h1:x=\nexample.com/a v1.0.0/go.mod h1:y=\n' }, 'adds 1 package'],
  [{ path: 'Gemfile.lock', before: '', after: 'GEM\n  specs:\n    rack (3.0.0)\n      base (>= 1)\n' }, 'adds 1 package'],
  [
    { path: 'composer.lock', before: '', after: '{"packages":[{"name":"a/b","version":"1.0"}],"packages-dev":[{"name":"c/d","version":"1.0"}]}' },
    'adds 2 packages',
  ],
])('compares %o', (list, words) => {
  expect(installSentences({ files: [list.path], locks: [list], folders: [] })).toEqual([
    { said: `${words} that later builds download and run (${list.path})`, files: [list.path] },
  ]);
});

it.each(['', '{', 'null', '[]', '{"packages":null}', '{"packages":[1]}'])('says nothing of a lock file that is none: %j', (text) => {
  expect(installSentences({ files: ['package-lock.json'], locks: [{ path: 'package-lock.json', before: text, after: '' }], folders: [] })).toEqual(
    [],
  );
});

it('counts in one line', () => {
  expect(foldedLine(folder('node_modules', [406], true))).toBe('node_modules/: 406 packages, 6,589 files, 41.0MB, ignored by git');
});

it('tells with each sentence the files that it is about', () => {
  const lock: ChangedList = { path: 'a/Cargo.lock', before: '', after: toml('x') };
  const said = installSentences({ files: ['package.json', 'a/Cargo.lock', 'a/Cargo.toml', 'go.mod'], locks: [lock], folders: [] });
  expect(said.map(({ files }) => files)).toEqual([['a/Cargo.lock', 'a/Cargo.toml']]);
});
