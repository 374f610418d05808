/**
 * Folders of installed programs and of compiled code, each with what runs it. Repositories ignore them, so no review shows what a
 * call puts there, and the next start of that program is outside the sandbox.
 */
const INSTALLED_FOLDERS: Readonly<Record<string, string>> = {
  node_modules: 'node, npm: packages',
  bower_components: 'pages: packages of bower',
  jspm_packages: 'node: packages of jspm',
  '.yarn': 'Yarn: packages and plugins',
  '.pnpm-store': 'pnpm: packages',
  '.venv': 'python: an environment',
  venv: 'python: an environment',
  '.virtualenv': 'python: an environment',
  '.conda': 'conda: an environment',
  '.pixi': 'pixi: environments',
  '.tox': 'tox: environments',
  '.nox': 'nox: environments',
  '.eggs': 'setuptools: packages',
  'site-packages': 'python: packages',
  'dist-packages': 'python: packages',
  __pypackages__: 'python: packages of PDM',
  __pycache__: 'python: compiled code, in place of its source',
  '.bundle': 'ruby: packages and settings of bundler',
  'vendor/bundle': 'ruby: packages',
  'vendor/composer': 'php: the loader of packages',
  '.terraform': 'terraform: providers and modules',
  '.terragrunt-cache': 'terragrunt: modules',
  '.direnv': 'direnv: environments',
  '.devenv': 'devenv: environments',
  lua_modules: 'lua: packages of LuaRocks',
  _opam: 'ocaml: packages of opam',
};
/** A file that makes the folder around it an environment of Python, whatever its name. Only the file counts: a path does not tell what is beside it. */
const ENVIRONMENT_FILE = 'pyvenv.cfg';

/** Returns how many of the folded names of a path lead to the outermost place of installed programs that it is in, or is; undefined if there is none. */
export function installedDepth(names: readonly string[]): number | undefined {
  const isInstalled = (name: string, index: number): boolean =>
    name === ENVIRONMENT_FILE || Object.hasOwn(INSTALLED_FOLDERS, name) || Object.hasOwn(INSTALLED_FOLDERS, `${names[index - 1] ?? ''}/${name}`);
  const end = names.findIndex(isInstalled);
  return end === -1 ? undefined : end + 1;
}

/** Whether a folded path is in a folder of installed programs, or is one. */
export const isInstalledPlace = (folded: string): boolean => installedDepth(folded.split('/')) !== undefined;

/** Folder names of output that later builds and programs execute or load, with the reason why it is output. */
const BUILD_FOLDERS: Readonly<Record<string, string>> = {
  dist: 'a build writes it',
  build: 'a build writes it',
  out: 'a build writes it',
  target: 'cargo and maven build into it',
  '.next': 'next builds into it',
  '.nuxt': 'nuxt builds into it',
  '.svelte-kit': 'svelte builds into it',
  '.output': 'nitro builds into it',
  '.turbo': 'turbo caches in it',
  '.cache': 'tools cache in it',
  '.parcel-cache': 'parcel caches in it',
  '.tmp': 'tools keep in it what they need again',
  '.vite': 'vite caches in it',
  '.vite-temp': 'vite loads its configuration by it',
  '.vitest': 'vitest caches in it',
  '.gradle': 'gradle caches in it',
  '.angular': 'angular caches in it',
  '.nx': 'nx caches in it',
  '.rollup.cache': 'rollup caches in it',
  '.zig-cache': 'zig builds in it',
  'zig-cache': 'zig builds in it',
  'zig-out': 'zig builds into it',
  '.stack-work': 'stack builds in it',
  'dist-newstyle': 'cabal builds in it',
  'cmake-build-debug': 'cmake builds in it',
  'cmake-build-release': 'cmake builds in it',
  'elm-stuff': 'elm caches in it',
  '.bloop': 'bloop builds in it',
};

/** Those of them that contain nothing that a user runs or publishes. */
const TOOL_CACHES: ReadonlySet<string> = new Set([
  '.turbo',
  '.cache',
  '.parcel-cache',
  '.tmp',
  '.vite',
  '.vite-temp',
  '.vitest',
  '.gradle',
  '.angular',
  '.nx',
  '.rollup.cache',
  '.zig-cache',
  'zig-cache',
  'elm-stuff',
]);

/** The same for output that no program executes or loads: it needs no review if the repository ignores it. */
const REPORT_FOLDERS: Readonly<Record<string, string>> = {
  '.mypy_cache': 'mypy caches in it',
  '.pytest_cache': 'pytest caches in it',
  '.ruff_cache': 'ruff caches in it',
  coverage: 'a report on tests',
  '.nyc_output': 'a report on tests',
  htmlcov: 'a report on tests',
  'test-results': 'a report on tests',
  'playwright-report': 'a report on tests',
};
/**
 * Names of programs in a report folder: runners of tests look for their files everywhere, and builds for packages. The scripts of a page are
 * none of them. Other names than these are read by nothing that executes them.
 */
const PROGRAM_FILES =
  /(?:^|[._-])(?:tests?|specs?|e2e|cy|bench|benchmark|stories)\.(?:[cm]?[jt]sx?|coffee)$|^(?:(?:jest|vitest|vite|karma|babel|playwright|cypress|eslint|webpack|rollup)[.-].*\.[cm]?[jt]s|gruntfile\.js|gulpfile\.js|package\.json|project\.json|deno\.jsonc?|composer\.json|makefile|dockerfile)$|\.(?:[cm]?tsx?|py[cowdiz]?|ipynb|pth|pkl|pickle|rb|rake|gemspec|php\d?|phpt|go|rs|java|kts?|scala|sbt|groovy|gradle|cs|fs|vb|csproj|targets|props|exs?|erl|beam|dart|swift|lua|jl|r|pl|pm|t|sh|bash|zsh|fish|bat|cmd|ps1|exe|dll|so|dylib|node|wasm|jar|class|c|cc|cpp|h|hpp|mk|cmake|tf|toml|cfg|ini|feature|bats|robot)$/iu;
/** Folders in which runners of tests take every script for one. */
const TEST_FOLDERS: ReadonlySet<string> = new Set(['__tests__', '__mocks__', 'test', 'tests', 'spec', 'specs']);
const SCRIPT = /\.[cm]?jsx?$/iu;

/** Whether a runner of tests or a build can execute a file that is in a report folder, given the names below that folder. */
function isProgram(below: readonly string[]): boolean {
  const file = below.at(-1) ?? '';
  return PROGRAM_FILES.test(file) || (SCRIPT.test(file) && below.slice(0, -1).some((name) => TEST_FOLDERS.has(name.toLowerCase())));
}

const OUTPUT_FOLDERS = { ...BUILD_FOLDERS, ...REPORT_FOLDERS };

/** Caches with a `.gitignore` of their own, written by pytest, mypy 0.770 and newer, and ruff. git ignores them in every repository. */
const IGNORES_ITSELF: ReadonlySet<string> = new Set(['.pytest_cache', '.mypy_cache', '.ruff_cache']);

/** The same for files. */
const OUTPUT_FILES = /(?:\.tsbuildinfo|\.log|^\.eslintcache|^\.stylelintcache|^\.prettiercache|^\.coverage|^lcov\.info|^junit\.xml)$/u;

/** Folders of installed programs that other programs run, by one name: of `vendor/bundle`, all of `vendor` counts. */
const DEPENDENCIES: ReadonlySet<string> = new Set([
  ...Object.keys(INSTALLED_FOLDERS).flatMap((place) => place.split('/', 1)),
  'virtualenv',
  'vendor',
  'bin',
  '.bin',
  '.git',
]);
/**
 * Caches of code that programs run in place of its source, which is unchanged: to write one is to choose what they run. Where a
 * command's changes are asked about, its environment turns these caches off.
 */
const CODE_CACHES: ReadonlySet<string> = new Set(['__pycache__', 'jiti', '@babel']);

/**
 * Other names of folders with installed programs. Elsewhere they are sources, so that only ignored content counts: no review shows it.
 */
const INSTALLED_IF_IGNORED: ReadonlySet<string> = new Set(['vendor', 'virtualenv', 'env', '.bin', 'deps', 'pods', 'carthage']);

/** Whether a change, if the repository ignores it, is one of programs that people run outside the sandbox. Given the folded names of its path. */
export const isInstalledIfIgnored = (names: readonly string[]): boolean => names.some((name) => INSTALLED_IF_IGNORED.has(name));

/** Tool caches inside `node_modules`, next to the packages. */
const CACHES_BESIDE_PACKAGES: ReadonlySet<string> = new Set(['.cache', '.tmp', '.vite', '.vite-temp', '.vitest']);

/** Whether git ignores a build output in every repository. */
export function ignoresItself(path: string): boolean {
  return path.split('/').some((name) => IGNORES_ITSELF.has(name));
}

/** Whether a link leads no further than the folder that contains it, as that from `libx.so` to `libx.so.1`. */
const staysBeside = (target: string): boolean => !target.startsWith('/') && !target.split('/').includes('..');

/**
 * Whether a new or changed entry can be more than output of a build, a test or a cache, also if the folder around it is that: an
 * installed program, or a link. A later build would write through a link, wherever it leads.
 *
 * @param linkTarget undefined if it is no link
 */
export function isBeyondOutput(path: string, linkTarget: string | undefined): boolean {
  if (buildOutput(path) === undefined) return true;
  if (linkTarget === undefined) return false;
  return !staysBeside(linkTarget) || buildOutput(path.slice(0, Math.max(0, path.lastIndexOf('/')))) === undefined;
}

/**
 * Returns why a changed file is output of a build, a test or a cache that no other program runs; undefined if it may be more.
 * Applies only to files that the repository ignores.
 */
export function buildOutput(path: string): string | undefined {
  const names = path.split('/');
  const start = names.findIndex((name) => DEPENDENCIES.has(name) || Object.hasOwn(OUTPUT_FOLDERS, name));
  if (start === -1) return OUTPUT_FILES.test(names.at(-1) ?? '') ? 'a tool can write it again' : undefined;
  const first = names[start] ?? '';
  const [folder = '', ...below] = names.slice(DEPENDENCIES.has(first) ? start + 1 : start);
  if (DEPENDENCIES.has(first) && (first !== 'node_modules' || !CACHES_BESIDE_PACKAGES.has(folder))) return undefined;
  if (below.some((name) => DEPENDENCIES.has(name) || CODE_CACHES.has(name))) return undefined;
  return Object.hasOwn(REPORT_FOLDERS, folder) && isProgram(below) ? undefined : OUTPUT_FOLDERS[folder];
}

/**
 * Returns the folder of build output that contains a path, or is it: what later builds and programs execute or load from it, a command
 * must not choose unseen. Undefined for all other paths, reports among them.
 */
export function buildFolder(path: string): string | undefined {
  const names = path.split('/');
  const start = names.findIndex((name) => DEPENDENCIES.has(name) || Object.hasOwn(OUTPUT_FOLDERS, name));
  const first = names[start] ?? '';
  const isBeside = first === 'node_modules' && CACHES_BESIDE_PACKAGES.has(names[start + 1] ?? '');
  const end = isBeside ? start + 1 : start;
  return (isBeside || !DEPENDENCIES.has(first)) && Object.hasOwn(BUILD_FOLDERS, names[end] ?? '') ? names.slice(0, end + 1).join('/') : undefined;
}

/** Returns the outermost folder of output or caches that contains a path, or is it. */
export function outputFolder(path: string): string | undefined {
  const names = path.split('/');
  const start = names.findIndex((name) => Object.hasOwn(OUTPUT_FOLDERS, name) || IGNORES_ITSELF.has(name));
  return start === -1 ? undefined : names.slice(0, start + 1).join('/');
}

/** Whether a folder of build output is only a cache of tools. */
export const isToolCache = (folder: string): boolean => TOOL_CACHES.has(folder.slice(folder.lastIndexOf('/') + 1));
