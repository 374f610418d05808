import { createHands } from '@synapse/hands';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { detectedCommands, knownManifests } from './detected-commands.ts';
import { MANIFESTS, projectCommands } from './project-commands.ts';

const commands = (files: Readonly<Record<string, string>>, isRepository = false): string[] =>
  projectCommands((name) => files[name], isRepository).flatMap((found) => found.commands);
const node = (manifest: object, more: Readonly<Record<string, string>> = {}): string[] =>
  commands({ 'package.json': JSON.stringify(manifest), ...more });

const ROWS: ReadonlyArray<readonly [files: Readonly<Record<string, string>>, expected: readonly string[]]> = [
  [{ 'Cargo.toml': '' }, ['cargo test *', 'cargo build *', 'cargo check *', 'cargo clippy *', 'cargo fmt *']],
  [{ 'go.mod': '' }, ['go test *', 'go build *', 'go vet *', 'gofmt *']],
  [{ 'CMakeLists.txt': '' }, ['cmake --build *', 'ctest *']],
  [{ 'build.gradle.kts': '' }, ['gradle test *', 'gradle check *', 'gradle build *']],
  [{ 'build.gradle': '', gradlew: '' }, ['./gradlew test *', './gradlew check *', './gradlew build *']],
  [{ 'pom.xml': '' }, ['mvn test *', 'mvn verify *', 'mvn compile *']],
  [
    { Makefile: 'CC := gcc\ntest: build\n\tx\nbuild:\nlint.fix :\ndeploy:\ntest-%:\n$(X): y\n' },
    ['make', 'make test', 'make build', 'make lint.fix'],
  ],
  [{ Makefile: 'all: kilo\n\nkilo: kilo.c\n\tcc\n\nclean:\n\trm kilo\n' }, ['make', 'make all']],
  [{ Makefile: 'deploy:\n\tx\nall: x\n' }, ['make all']],
  [
    { 'pyproject.toml': '[tool.ruff.lint]\nselect = [\n  "B",  # flake8-bugbear, flake8\n]\n[tool.other]\ndescription = "pytest on old versions"\n' },
    ['ruff check *', 'ruff format *'],
  ],
  [{ 'tox.ini': '[testenv]\ndeps =\n  pytest\n  # black\ncommands =\n  mypy src\n' }, ['pytest *', 'mypy *']],
  [{ 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff]\nx = "mypy_extensions"' }, ['pytest *', 'ruff check *', 'ruff format *']],
  [{ 'requirements-dev.txt': 'pytest>=8\nmypy==1\n' }, ['pytest *', 'mypy *']],
  [{}, []],
];

describe('the commands of a project', () => {
  it.each(ROWS)('%j', (files, expected) => {
    expect(commands(files)).toEqual(expected);
    for (const name of Object.keys(files)) expect(MANIFESTS).toContain(name);
  });

  it('are the scripts that test, check, build and format, by the package manager of the project', () => {
    const scripts = {
      test: 'vitest',
      'test:unit': 'x',
      lint: 'eslint',
      build: 'tsc',
      dev: 'vite',
      'test:watch': 'x',
      release: 'x',
      'build && evil': 'x',
      postinstall: 'x',
    };
    const npm = ['npm test *', 'npm run test *', 'npm run test:unit *', 'npm run lint *', 'npm run build *'];
    expect(node({ scripts })).toEqual(npm);
    expect(node({ scripts }, { 'package-lock.json': '' })).toEqual(npm);
    expect(node({ scripts: { test: 'x' } }, { 'pnpm-lock.yaml': '' })).toEqual(['pnpm test *', 'pnpm run test *']);
    expect(node({ scripts: { test: 'x' } }, { 'yarn.lock': '' })).toEqual(['yarn test *', 'yarn run test *']);
    expect(node({ scripts: { test: 'x' }, packageManager: 'bun@1.2.0' }, { 'yarn.lock': '' })).toEqual(['bun run test *']);
  });

  it('are the programs that a project depends on', () => {
    expect(node({ devDependencies: { vitest: '1', typescript: '5', eslint: '9', left: '1' }, dependencies: { prettier: '3' } })).toEqual([
      'prettier *',
      'vitest *',
      'tsc *',
      'eslint *',
    ]);
  });

  it.each(['{', '[]', '5', '{"scripts": 5, "packageManager": {}}', '{"scripts": {"test\\u0000": "x"}}'])(
    'are none of a manifest such as %s',
    (text) => {
      expect(commands({ 'package.json': text })).toEqual([]);
    },
  );

  it.each([
    ['Rakefile', "require 'minitest/test_task'\n\nMinitest::TestTask.create # Default `test` task\n", ['rake test']],
    ['mix.exs', 'defmodule X.MixProject do\nend\n', ['mix test']],
    ['package.json', '{"scripts":{"test":"x","start":"y","build":"z"}}', ['npm test *', 'npm run test *', 'npm run build *']],
  ])('are those that reports suggest for %s', async (name, text, expected) => {
    const files = new Map([[name, text]]);
    const found = projectCommands((each) => files.get(each), false, await detectedCommands(files));
    expect(found.flatMap((each) => each.commands)).toEqual(expected);
    expect(MANIFESTS).toContain(name);
  });

  it.each([
    ['Makefile.am', 'SUBDIRS = src\nTESTS = tests/a\n', ['make check']],
    ['Makefile', 'check:\n\tx\n', ['make', 'make check']],
    ['justfile', 'test:\n  x\n', ['just test']],
    ['build.zig', 'const test_step = b.step("test", "Run tests");\n', ['zig build test']],
    ['a.cabal', 'name: a\ntest-suite spec\n', ['cabal test']],
  ])('are found in every manifest that reports know: %s', async (name, text, expected) => {
    expect(knownManifests(['README.md', name, 'a.txt'])).toEqual([name]);
    const files = new Map([[name, text]]);
    const found = projectCommands((each) => files.get(each), false, await detectedCommands(files));
    expect(found.flatMap((each) => each.commands)).toEqual(expected);
  });

  it('are those of git in a repository', () => {
    expect(commands({}, true)).toEqual(['git add *', 'git commit *', 'git switch -c *', 'git checkout -b *']);
  });
});

describe('the rules that they make', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'synapse-init-'))));

  it('can be read, and none allows any code', async () => {
    const all = [
      ...ROWS.flatMap(([, expected]) => expected),
      ...commands({}, true),
      ...['npm', 'pnpm', 'yarn', 'bun'].flatMap((manager) =>
        node({
          scripts: { test: 'x', 'build:all': 'x' },
          packageManager: `${manager}@1`,
          devDependencies: { vitest: '1', typescript: '5', '@biomejs/biome': '1' },
        }),
      ),
    ];
    await using hands = await createHands({
      workspace: folder,
      stateFolder: join(folder, '../', `${folder}-state`),
      configFolder: `${folder}-config`,
      policy: { allow: all.map((one) => `exec(${one})`) },
    });
    expect(hands.policy().notices).toEqual([]);
    await rm(`${folder}-state`, { recursive: true, force: true });
  });
});
