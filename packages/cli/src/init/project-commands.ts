import { isCheck, type FoundCommands, type ReadManifest } from './manifest.ts';
import { LOCK_FILES, nodeCommands } from './node-commands.ts';

/** The targets of a Makefile, without patterns and variables. */
function makeTargets(text: string): string[] {
  return Array.from(text.matchAll(/^([A-Za-z][\w.-]*)[ \t]*:(?![=:])/gmu), ([, name = '']) => name);
}

const MAKEFILES = ['Makefile', 'makefile', 'GNUmakefile'];
/** The usual name of the target that builds everything. */
const ALL = 'all';

function makeCommands(read: ReadManifest): FoundCommands[] {
  const from = MAKEFILES.find((name) => read(name) !== undefined);
  if (from === undefined) return [];
  const all = [...new Set(makeTargets(read(from) ?? ''))];
  const targets = all.filter((target) => isCheck(target) || target === ALL);
  // The first target is the default.
  const plain = all[0] !== undefined && targets.includes(all[0]) ? ['make'] : [];
  // Without a wildcard: `make test SHELL=./x` runs another program.
  return [{ from, commands: [...plain, ...targets.map((target) => `make ${target}`)] }];
}

/** Tools of Python projects, and how a manifest names them. */
const PYTHON_TOOLS: Readonly<Record<string, readonly string[]>> = {
  pytest: ['pytest *'],
  ruff: ['ruff check *', 'ruff format *'],
  mypy: ['mypy *'],
  pyright: ['pyright *'],
  black: ['black *'],
  flake8: ['flake8 *'],
  tox: ['tox *'],
};
const PYTHON_MANIFESTS = ['pyproject.toml', 'setup.cfg', 'tox.ini', 'requirements-dev.txt', 'requirements.txt', 'dev-requirements.txt'];

const COMMENT = /(?:^|\s)#.*$/gmu;

/** Whether a manifest of Python has a table, a requirement or a command of a tool. A comment or a description may name any tool. */
function namesTool(text: string, tool: string): boolean {
  const table = String.raw`^\[+(?:tool[.:])?${tool}(?:[\].:]|$)`;
  const requirement = String.raw`(?:^\s*|["'[]\s*)${tool}(?:\[[^\]\n]*\])?\s*(?:[<>=!~;"',@\]]|$)`;
  const command = String.raw`^\s*(?:commands?\s*=\s*)?${tool}\s+(?:-|\{|\.|[\w./]*(?:src|tests?)\b)`;
  return new RegExp([table, requirement, command].join('|'), 'mu').test(text.replaceAll(COMMENT, ''));
}

function pythonCommands(read: ReadManifest): FoundCommands[] {
  const texts = PYTHON_MANIFESTS.flatMap((name) => {
    const text = read(name);
    return text === undefined ? [] : [{ name, text }];
  });
  return texts.map(({ name, text }) => ({
    from: name,
    commands: Object.entries(PYTHON_TOOLS)
      .filter(([tool]) => namesTool(text, tool))
      .flatMap(([, commands]) => commands),
  }));
}

/** Manifests with fixed commands. */
const FIXED: ReadonlyArray<readonly [manifest: string, ...commands: string[]]> = [
  ['Cargo.toml', 'cargo test *', 'cargo build *', 'cargo check *', 'cargo clippy *', 'cargo fmt *'],
  ['go.mod', 'go test *', 'go build *', 'go vet *', 'gofmt *'],
  ['CMakeLists.txt', 'cmake --build *', 'ctest *'],
  ['gradlew', './gradlew test *', './gradlew check *', './gradlew build *'],
  ['mvnw', './mvnw test *', './mvnw verify *'],
  ['pom.xml', 'mvn test *', 'mvn verify *', 'mvn compile *'],
];
const GRADLE = ['build.gradle', 'build.gradle.kts'];

/** Every file that is read. */
export const MANIFESTS: readonly string[] = [
  'package.json',
  ...LOCK_FILES,
  ...MAKEFILES,
  ...FIXED.map(([name]) => name),
  ...GRADLE,
  ...PYTHON_MANIFESTS,
  'Rakefile',
  'rakefile',
  'mix.exs',
  'composer.json',
  'deno.json',
  'build.sbt',
  'pubspec.yaml',
  'Package.swift',
];

/** Git commands for everyday work. All of them can be undone. */
const GIT = ['git add *', 'git commit *', 'git switch -c *', 'git checkout -b *'];

/** Whether a pattern such as `go test *` includes a command. */
function isCovered(command: string, patterns: ReadonlySet<string>): boolean {
  return [...patterns].some((pattern) => pattern.endsWith(' *') && (command === pattern.slice(0, -2) || command.startsWith(pattern.slice(0, -1))));
}

/**
 * The test, build, lint and format commands in a project's manifests.
 *
 * @param detected those that Project Resurrection reads in the same files
 */
export function projectCommands(read: ReadManifest, isRepository: boolean, detected: readonly FoundCommands[] = []): FoundCommands[] {
  const fixed = FIXED.filter(([manifest]) => read(manifest) !== undefined).map(([from, ...commands]) => ({ from, commands }));
  const gradle = read('gradlew') === undefined ? GRADLE.find((name) => read(name) !== undefined) : undefined;
  const found = [
    ...nodeCommands(read),
    ...makeCommands(read),
    ...fixed,
    ...(gradle === undefined ? [] : [{ from: gradle, commands: ['gradle test *', 'gradle check *', 'gradle build *'] }]),
    ...pythonCommands(read),
    ...detected,
    ...(isRepository ? [{ from: '.git', commands: GIT }] : []),
  ];
  const seen = new Set<string>();
  return found.flatMap(({ from, commands }) => {
    const own = commands.filter((command) => !seen.has(command) && !isCovered(command, seen));
    for (const command of own) seen.add(command);
    return own.length === 0 ? [] : [{ from, commands: own }];
  });
}
