import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findManifests, MANIFEST_KINDS } from './manifest-kinds.ts';
import type { ManifestFacts } from './manifest.ts';

interface Row {
  readonly path: string;
  readonly text: string;
  readonly siblings?: readonly string[];
  readonly facts: Partial<ManifestFacts>;
}

const fact = (value: string, line: number): { value: string; line: number } => ({ value, line });

const ROWS: readonly Row[] = [
  {
    path: 'package.json',
    text: `{
  "name": "thing",
  "version": "1.2.3",
  "description": "Does things",
  "workspaces": ["packages/*"],
  "bin": { "thing": "cli.js" },
  "scripts": { "test": "vitest", "dev": "vite",
    "build": "tsc" },
  "engines": { "node": ">=20" },
  "dependencies": { "hono": "4" },
  "devDependencies": { "vitest": "5" }
}`,
    siblings: ['package.json', 'pnpm-lock.yaml'],
    facts: {
      name: fact('thing', 2),
      version: fact('1.2.3', 3),
      description: fact('Does things', 4),
      members: [fact('packages/*', 5)],
      entryPoints: [fact('thing', 6)],
      engine: fact('Node >=20', 9),
      commands: [
        { purpose: 'test', value: 'pnpm test', line: 7 },
        { purpose: 'start', value: 'pnpm run dev', line: 7 },
        { purpose: 'build', value: 'pnpm run build', line: 8 },
      ],
      dependencies: [fact('hono', 10)],
      devDependencies: [fact('vitest', 11)],
    },
  },
  {
    path: 'package.json',
    text: '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1","start":"x"}}',
    facts: { commands: [{ purpose: 'start', value: 'npm start', line: 1 }] },
  },
  {
    path: 'package.json',
    text: '{"packageManager":"bun@1.2","scripts":{"test":"x"},"bin":"cli.js"}',
    facts: { commands: [{ purpose: 'test', value: 'bun run test', line: 1 }], entryPoints: [fact('cli.js', 1)] },
  },
  {
    path: 'package.json',
    text: '{"name":7,"version":null,"scripts":[],"bin":null,"workspaces":{"packages":["a"]}}',
    facts: { name: undefined, commands: [], members: [fact('a', 1)] },
  },
  {
    path: 'deno.jsonc',
    text: '{\n  // the name, with "quotes" and a trailing comma\n  "name": "@a/b", /* x */\n  "tasks": { "test": "deno test", },\n  "imports": { "https://x": "y" },\n}',
    facts: { name: fact('@a/b', 3), commands: [{ purpose: 'test', value: 'deno task test', line: 4 }], dependencies: [fact('https://x', 5)] },
  },
  {
    path: 'composer.json',
    text: '{\n"name": "a/b",\n"require": {\n"php": ">=8.1",\n"symfony/console": "^7"}}',
    facts: { name: fact('a/b', 2), engine: fact('PHP >=8.1', 4), dependencies: [fact('symfony/console', 5)] },
  },
  {
    path: 'Cargo.toml',
    text: '[workspace]\nmembers = ["crates/a"]\n[workspace.package]\nversion = "0.9.0"\n[package]\nname = "tool"\nversion.workspace = true\nrust-version = "1.80"\n[[bin]]\nname = "tool"\n[dependencies]\ntokio = "1"',
    facts: {
      name: fact('tool', 6),
      version: fact('0.9.0', 4),
      engine: fact('Rust 1.80', 8),
      members: [fact('crates/a', 2)],
      entryPoints: [fact('tool', 10)],
      dependencies: [fact('tokio', 12)],
    },
  },
  {
    path: 'pyproject.toml',
    text: '[build-system]\nrequires = []\n[project]\nname = "svc"\nversion = "2.0"\nrequires-python = ">=3.11"\ndependencies = [\n  "fastapi[all]>=0.1; python_version > \'3\'",\n]\n[project.scripts]\nsvc = "svc:main"\n[tool.pytest.ini_options]',
    facts: {
      name: fact('svc', 4),
      version: fact('2.0', 5),
      engine: fact('Python >=3.11', 6),
      commands: [{ purpose: 'test', value: 'pytest', line: 12 }],
      entryPoints: [fact('svc', 11)],
      dependencies: [fact('fastapi', 8)],
    },
  },
  {
    path: 'pyproject.toml',
    text: '[tool.poetry]\nname = "old"\n[tool.poetry.dependencies]\npython = "^3.9"\ndjango = "*"',
    facts: { name: fact('old', 2), engine: fact('Python ^3.9', 4), dependencies: [fact('django', 5)] },
  },
  {
    path: 'setup.cfg',
    text: '[metadata]\nname = a\nversion = 1\n[options]\npython_requires = >=3.8',
    facts: { name: fact('a', 2), version: fact('1', 3), engine: fact('Python >=3.8', 5) },
  },
  { path: 'setup.py', text: 'setup(\n    name="a",\n    version=\'3\',\n)', facts: { name: fact('a', 2), version: fact('3', 3) } },
  {
    path: 'Rakefile',
    text: 'require "rake/testtask"\nRake::TestTask.new(:test) do |t|\nend',
    facts: { commands: [{ purpose: 'test', value: 'rake test', line: 2 }] },
  },
  { path: 'requirements.txt', text: '# c\nflask>=2\n-r other.txt\nnumpy', facts: { dependencies: [fact('flask', 2), fact('numpy', 4)] } },
  {
    path: 'go.mod',
    text: 'module example.com/a\n\ngo 1.23\n\nrequire (\n\tgithub.com/x/y v1.0.0\n\tgithub.com/z/w v1.0.0 // indirect\n)\nrequire example.com/q v2.0.0',
    facts: { name: fact('example.com/a', 1), engine: fact('Go 1.23', 3), dependencies: [fact('github.com/x/y', 6), fact('example.com/q', 9)] },
  },
  { path: 'go.work', text: 'go 1.23\nuse (\n\t./a\n\t./b\n)', facts: { members: [fact('./a', 3), fact('./b', 4)] } },
  {
    path: 'pom.xml',
    text: '<project>\n<parent>\n<artifactId>boss</artifactId>\n<version>9</version>\n</parent>\n<artifactId>app</artifactId>\n<version>1.0</version>\n<description>An app</description>\n<modules>\n<module>core</module>\n</modules>\n<properties><java.version>21</java.version></properties>\n<dependencies>\n<dependency><artifactId>junit</artifactId>\n<exclusions><exclusion><artifactId>old</artifactId></exclusion></exclusions></dependency>\n</dependencies>\n<build><plugins><plugin>\n<artifactId>compiler-plugin</artifactId>\n</plugin></plugins></build>\n</project>',
    facts: {
      name: fact('app', 6),
      version: fact('1.0', 7),
      description: fact('An app', 8),
      engine: fact('Java 21', 12),
      members: [fact('core', 10)],
      dependencies: [fact('junit', 14)],
    },
  },
  {
    path: 'build.gradle.kts',
    text: 'version = "1.1"\ndependencies {\n  implementation("org.x:lib:1")\n}',
    facts: { version: fact('1.1', 1), dependencies: [fact('lib', 3)] },
  },
  {
    path: 'settings.gradle',
    text: "rootProject.name = 'g'\ninclude ':app', ':lib'",
    facts: { name: fact('g', 1), members: [fact('app', 2), fact('lib', 2)] },
  },
  { path: 'Gemfile', text: 'ruby "3.3"\ngem "rails", "~> 8"', facts: { engine: fact('Ruby 3.3', 1), dependencies: [fact('rails', 2)] } },
  {
    path: 'a.gemspec',
    text: 'Gem::Specification.new do |s|\n  s.name = "a"\n  s.version = "1"\n  s.summary = "b"\nend',
    facts: { name: fact('a', 2), version: fact('1', 3), description: fact('b', 4) },
  },
  {
    path: 'b.gemspec',
    text: "version = '2'\nGem::Specification.new 'b', '1.2' do |s|\n  s.summary = 'c'\nend",
    facts: { name: fact('b', 2), version: fact('1.2', 2), description: fact('c', 3) },
  },
  {
    path: 'App.csproj',
    text: '<Project>\n<TargetFramework>net9.0</TargetFramework>\n<PackageReference Include="Serilog" Version="4" />\n</Project>',
    facts: { engine: fact('net9.0', 2), dependencies: [fact('Serilog', 3)] },
  },
  {
    path: 'All.sln',
    text: 'x\nProject("{F}") = "App", "App\\App.csproj", "{G}"\nProject("{2150E333-8FDC-42A3-9474-1A3956D46DE8}") = "src", "src", "{H}"',
    facts: { members: [fact('App', 2)] },
  },
  {
    path: 'CMakeLists.txt',
    text: 'project(demo VERSION 1.4.2 DESCRIPTION "A demo" LANGUAGES CXX)\nset(CMAKE_CXX_STANDARD 20)\nenable_testing()\nadd_executable(demo main.cpp)\nadd_subdirectory(lib)\nfind_package(Boost REQUIRED)',
    facts: {
      name: fact('demo', 1),
      version: fact('1.4.2', 1),
      description: fact('A demo', 1),
      engine: fact('C++20', 2),
      commands: [{ purpose: 'test', value: 'cmake -S . -B build && cmake --build build && ctest --test-dir build', line: 3 }],
      entryPoints: [fact('demo', 4)],
      members: [],
      dependencies: [fact('Boost', 6)],
    },
  },
  {
    path: 'mix.exs',
    text: 'def project do\n  [\n    app: :shop,\n    version: "0.1.0",\n    elixir: "~> 1.17",\n    deps: [{:phoenix, "~> 1.7"}]\n  ]\nend\n{:ecto, "3"}',
    facts: { name: fact('shop', 3), version: fact('0.1.0', 4), engine: fact('Elixir ~> 1.17', 5), dependencies: [fact('ecto', 9)] },
  },
  {
    path: 'build.sbt',
    text: 'name := "calc"\nThisBuild / version := "0.1.0"\nscalaVersion := "3.7.0"\nlibraryDependencies ++= Seq(\n  "org.typelevel" %% "cats-core" % "2.12.0",\n  "org.scalameta" %% "munit" % "1.0.0" % Test,\n)',
    facts: {
      name: fact('calc', 1),
      version: fact('0.1.0', 2),
      engine: fact('Scala 3.7.0', 3),
      dependencies: [fact('cats-core', 5)],
      devDependencies: [fact('munit', 6)],
    },
  },
  {
    path: 'pubspec.yaml',
    text: 'name: app\nversion: 1.0.0\nenvironment:\n  sdk: ^3.5\ndependencies:\n  flutter:\n    sdk: flutter',
    facts: { name: fact('app', 1), version: fact('1.0.0', 2), engine: fact('Dart ^3.5', 4) },
  },
  { path: 'pnpm-workspace.yaml', text: 'packages:\n  - apps/*\n  - libs/*', facts: { members: [fact('apps/*', 2), fact('libs/*', 3)] } },
  {
    path: 'Package.swift',
    text: '// swift-tools-version: 6.0\nlet package = Package(\n  name: "Kit"\n)',
    facts: { name: fact('Kit', 3), engine: fact('Swift 6.0', 1) },
  },
  {
    path: 'Makefile',
    text: 'X := 1\ntest: build\n\tgo\nrun:\n\tgo',
    facts: {
      commands: [
        { purpose: 'test', value: 'make test', line: 2 },
        { purpose: 'start', value: 'make run', line: 4 },
      ],
    },
  },
  // By the conventions of GNU, check runs the tests.
  {
    path: 'Makefile',
    text: 'all: x\ncheck: all\n',
    facts: {
      commands: [
        { purpose: 'build', value: 'make all', line: 1 },
        { purpose: 'test', value: 'make check', line: 2 },
      ],
    },
  },
  {
    path: 'Makefile',
    text: 'test:\ncheck:\n',
    facts: {
      commands: [
        { purpose: 'test', value: 'make test', line: 1 },
        { purpose: 'check', value: 'make check', line: 2 },
      ],
    },
  },
  {
    path: 'Makefile.am',
    text: 'bin_PROGRAMS = jq\nTESTS = tests/a tests/b\n',
    facts: { commands: [{ purpose: 'test', value: 'make check', line: 2 }] },
  },
  { path: 'Makefile.am', text: 'check_PROGRAMS = t\n', facts: { commands: [{ purpose: 'test', value: 'make check', line: 1 }] } },
  { path: 'Makefile.am', text: 'EXTRA_DIST = a\n# TESTS = b\n', facts: { commands: [] } },
  {
    path: 'meson.build',
    text: "project('thing', 'c', version : '1.2')\nexe = executable('run', 'a.c')\ntest('basic', exe)\n",
    facts: {
      name: fact('thing', 1),
      version: fact('1.2', 1),
      commands: [{ purpose: 'test', value: 'meson setup build && meson test -C build', line: 3 }],
      entryPoints: [fact('run', 2)],
    },
  },
  {
    path: 'justfile',
    text: 'default:\n  x\n@test *args: build\n  x\nbuild:\ntest-all:\nlint := "x"\n',
    facts: {
      commands: [
        { purpose: 'test', value: 'just test', line: 3 },
        { purpose: 'build', value: 'just build', line: 5 },
      ],
    },
  },
  {
    path: 'build.zig',
    text: 'x\nconst t = b.step("test", "Run unit tests");\n',
    facts: { commands: [{ purpose: 'test', value: 'zig build test', line: 2 }] },
  },
  {
    path: 'thing.cabal',
    text: 'name:          thing\nversion:       0.3\nsynopsis:      Does things\n\nexecutable thing\ntest-suite spec\n',
    facts: {
      name: fact('thing', 1),
      version: fact('0.3', 2),
      description: fact('Does things', 3),
      commands: [{ purpose: 'test', value: 'cabal test', line: 6 }],
      entryPoints: [fact('thing', 5)],
    },
  },
];

async function parse(path: string, text: string, siblings: readonly string[] = [path]): Promise<ManifestFacts | undefined> {
  return findManifests([path], 1)[0]?.parse(text, siblings);
}

describe('manifest parsers', () => {
  it.each(ROWS)('read $path', async ({ path, text, siblings, facts }) => {
    expect(await parse(path, text, siblings)).toMatchObject(facts);
  });

  it('are all covered by a row', () => {
    const covered = new Set(ROWS.map(({ path, text }) => findManifests([path], 1)[0]?.parse ?? text));
    expect(MANIFEST_KINDS.filter(({ parse }) => !covered.has(parse)).map(({ names }) => names)).toEqual([]);
  });

  it.each(MANIFEST_KINDS.map(({ names, parse }) => ({ name: names[0] ?? '', parse })))(
    '$name: any text gives facts on its lines, or an error',
    async ({ parse }) => {
      const lines = fc.array(
        fc.oneof(fc.string(), fc.constantFrom('{', '}', '"name": "x",', 'name = "x"', '<version>1</version>', '[package]', 'packages:', '  - a')),
      );
      await fc.assert(
        fc.asyncProperty(lines, async (parts) => {
          const text = parts.join('\n');
          const facts = await Promise.resolve()
            .then(() => parse(text, []))
            .catch(() => undefined);
          const all =
            facts === undefined ? [] : [facts.name, facts.version, ...facts.members, ...facts.commands].filter((each) => each !== undefined);
          for (const { line } of all) expect(line >= 1 && line <= text.split(/\r\n|\n|\r/u).length).toBe(true);
        }),
        { numRuns: 30 },
      );
    },
  );

  it.each([
    ['package.json', `{"a":${'['.repeat(100_000)}`],
    ['Cargo.toml', `a = ${'['.repeat(100_000)}`],
    ['pubspec.yaml', `a: &a [x]\nb: &b [${'*a,'.repeat(50)}]\nc: &c [${'*b,'.repeat(50)}]\nd: [${'*c,'.repeat(50)}]`],
    ['pom.xml', '<dependencies>'.repeat(50_000)],
    ['deno.jsonc', `{"a": "${'/*'.repeat(50_000)}`],
  ])('refuse or read a hostile %s in time', async (path, text) => {
    await parse(path, text).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
  });
});

describe('findManifests', () => {
  it('prefers the top folder and what tells most', () => {
    expect(findManifests(['Makefile', 'a/package.json', 'Cargo.toml', 'package.json'], 8).map(({ path }) => path)).toEqual([
      'package.json',
      'Cargo.toml',
      'Makefile',
    ]);
  });

  it.each([
    ['Elixir', 'mix.exs'],
    ['Python', 'pyproject.toml'],
    ['TypeScript', 'package.json'],
    ['Rust', 'package.json'],
    [undefined, 'package.json'],
  ])('prefers that of the language that most is written in: %s', (language, first) => {
    expect(findManifests(['pyproject.toml', 'package.json', 'mix.exs', 'sub/Cargo.toml'], 8, language)[0]?.path).toBe(first);
  });

  it('goes deeper only where the top has none', () => {
    expect(findManifests(['x/y/go.mod', 'b/go.mod', 'a/go.mod'], 8).map(({ path }) => path)).toEqual(['a/go.mod', 'b/go.mod']);
  });
});
