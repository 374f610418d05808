import { isCheck, type FoundCommands, type ReadManifest } from './manifest.ts';
import { LOCK_FILES, nodeCommands } from './node-commands.ts';

/** The targets of a Makefile, without patterns and variables. */
function makeTargets(text: string): string[] {
  return Array.from(text.matchAll(/^([A-Za-z][\w.-]*)[ \t]*:(?![=:])/gmu), ([, name = '']) => name);
}

const MAKEFILES = ['Makefile', 'makefile', 'GNUmakefile'];

function makeCommands(read: ReadManifest): FoundCommands[] {
  const from = MAKEFILES.find((name) => read(name) !== undefined);
  const targets = from === undefined ? [] : [...new Set(makeTargets(read(from) ?? ''))].filter(isCheck);
  // Without a wildcard: `make test SHELL=./x` runs another program.
  return from === undefined ? [] : [{ from, commands: targets.map((target) => `make ${target}`) }];
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

function pythonCommands(read: ReadManifest): FoundCommands[] {
  const texts = PYTHON_MANIFESTS.flatMap((name) => {
    const text = read(name);
    return text === undefined ? [] : [{ name, text }];
  });
  return texts.map(({ name, text }) => ({
    from: name,
    commands: Object.entries(PYTHON_TOOLS)
      .filter(([tool]) => new RegExp(String.raw`(?:^|[^\w-])${tool}(?:$|[^\w])`, 'mu').test(text))
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
];

/** Git commands for everyday work. All of them can be undone. */
const GIT = ['git add *', 'git commit *', 'git switch -c *', 'git checkout -b *'];

/** The test, build, lint and format commands in a project's manifests. */
export function projectCommands(read: ReadManifest, isRepository: boolean): FoundCommands[] {
  const fixed = FIXED.filter(([manifest]) => read(manifest) !== undefined).map(([from, ...commands]) => ({ from, commands }));
  const gradle = read('gradlew') === undefined ? GRADLE.find((name) => read(name) !== undefined) : undefined;
  const found = [
    ...nodeCommands(read),
    ...makeCommands(read),
    ...fixed,
    ...(gradle === undefined ? [] : [{ from: gradle, commands: ['gradle test *', 'gradle check *', 'gradle build *'] }]),
    ...pythonCommands(read),
    ...(isRepository ? [{ from: '.git', commands: GIT }] : []),
  ];
  const seen = new Set<string>();
  return found.flatMap(({ from, commands }) => {
    const own = commands.filter((command) => !seen.has(command));
    for (const command of own) seen.add(command);
    return own.length === 0 ? [] : [{ from, commands: own }];
  });
}
