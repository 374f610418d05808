import type { KeptFolder } from '../layers/kept-layers.ts';

/** Base folders of package caches. A user can set most of them with variables. */
type CacheBase = 'home' | 'cache' | 'data' | 'cargo' | 'rustup' | 'go' | 'gradle';

/** A cache that commands can read, and write in a layer. */
interface PackageCache {
  readonly base: CacheBase;
  /** Path below the base. Never a folder that also contains credentials. */
  readonly path: string;
  readonly of: string;
}

/**
 * Downloads of package managers that all projects share. Excludes credentials, which are beside some of them: `~/.npmrc`,
 * `~/.cargo/credentials.toml`, `~/.m2/settings.xml`, `~/.gradle/gradle.properties`, the token of Hugging Face.
 */
export const PACKAGE_CACHES: readonly PackageCache[] = [
  { base: 'home', path: '.npm/_cacache', of: 'npm' },
  { base: 'home', path: '.npm/_npx', of: 'npx' },
  { base: 'data', path: 'pnpm/store', of: 'pnpm' },
  { base: 'cache', path: 'pnpm', of: 'pnpm' },
  { base: 'cache', path: 'yarn', of: 'Yarn 1' },
  { base: 'home', path: '.yarn/berry/cache', of: 'Yarn' },
  { base: 'cache', path: 'node/corepack', of: 'Corepack' },
  { base: 'cache', path: 'node-gyp', of: 'node-gyp' },
  { base: 'home', path: '.bun/install/cache', of: 'Bun' },
  { base: 'cache', path: 'deno', of: 'Deno' },
  { base: 'cache', path: 'pip', of: 'pip' },
  { base: 'cache', path: 'uv', of: 'uv' },
  { base: 'cache', path: 'pypoetry', of: 'Poetry' },
  { base: 'cache', path: 'pdm', of: 'PDM' },
  { base: 'cache', path: 'pre-commit', of: 'pre-commit' },
  { base: 'cargo', path: 'registry', of: 'cargo' },
  { base: 'cargo', path: 'git', of: 'cargo' },
  { base: 'rustup', path: '', of: 'rustup' },
  { base: 'go', path: 'pkg/mod', of: 'go' },
  { base: 'cache', path: 'go-build', of: 'go' },
  { base: 'home', path: '.m2/repository', of: 'Maven' },
  { base: 'home', path: '.m2/wrapper', of: 'Maven' },
  { base: 'gradle', path: 'caches', of: 'Gradle' },
  { base: 'gradle', path: 'wrapper', of: 'Gradle' },
  { base: 'home', path: '.nuget/packages', of: 'NuGet' },
  { base: 'cache', path: 'composer', of: 'Composer' },
  { base: 'cache', path: 'ms-playwright', of: 'Playwright' },
  { base: 'cache', path: 'puppeteer', of: 'Puppeteer' },
  { base: 'cache', path: 'Cypress', of: 'Cypress' },
  { base: 'cache', path: 'electron', of: 'Electron' },
  { base: 'cache', path: 'ccache', of: 'ccache' },
  { base: 'home', path: '.ccache', of: 'ccache' },
  { base: 'cache', path: 'sccache', of: 'sccache' },
  { base: 'cache', path: 'zig', of: 'Zig' },
  { base: 'cache', path: 'coursier', of: 'sbt' },
  { base: 'home', path: '.ivy2/cache', of: 'Ivy' },
  { base: 'home', path: '.pub-cache/hosted', of: 'pub' },
  { base: 'home', path: '.cabal/packages', of: 'cabal' },
  { base: 'home', path: '.stack/pantry', of: 'Stack' },
  { base: 'home', path: '.hex/packages', of: 'Mix' },
  { base: 'home', path: '.conan2/p', of: 'Conan' },
  { base: 'cache', path: 'vcpkg', of: 'vcpkg' },
  { base: 'home', path: '.terraform.d/plugin-cache', of: 'Terraform' },
  // Beside the token, which stays hidden.
  { base: 'cache', path: 'huggingface/hub', of: 'Hugging Face' },
  { base: 'cache', path: 'huggingface/datasets', of: 'Hugging Face' },
];

/**
 * Further folders of a home folder that commands write to, and that hold no settings, credentials or programs on PATH. Commands do not see those
 * of the user, so they only matter where a project keeps what its commands wrote.
 */
const FURTHER_CACHES: ReadonlyArray<Pick<PackageCache, 'base' | 'path'>> = [
  { base: 'cache', path: '' },
  { base: 'data', path: 'uv/python' },
  { base: 'home', path: '.local/share/gem' },
  { base: 'home', path: '.gem/specs' },
  { base: 'home', path: '.bundle/cache' },
  { base: 'home', path: '.composer/cache' },
  { base: 'home', path: '.ivy2/local' },
  { base: 'home', path: '.sbt/boot' },
  { base: 'home', path: '.konan' },
  { base: 'home', path: '.stack/programs' },
  { base: 'home', path: '.stack/snapshots' },
  { base: 'home', path: '.cabal/store' },
  { base: 'home', path: '.local/state/cabal/store' },
  { base: 'home', path: '.pub-cache/git' },
  { base: 'home', path: '.mix' },
  { base: 'home', path: '.opam/download-cache' },
  { base: 'home', path: '.conda/pkgs' },
  { base: 'home', path: '.julia/packages' },
  { base: 'home', path: '.julia/artifacts' },
  { base: 'home', path: '.julia/registries' },
  { base: 'home', path: '.julia/compiled' },
  { base: 'home', path: '.nimble/pkgs2' },
  { base: 'home', path: '.elm' },
  { base: 'home', path: '.local/share/NuGet/http-cache' },
  { base: 'home', path: '.local/share/NuGet/v3-cache' },
  { base: 'gradle', path: 'daemon' },
  { base: 'gradle', path: 'native' },
];

/** The base folders, from the variables that the user has set. */
function baseFolders(home: string, variables: Readonly<Record<string, string | undefined>>): Record<CacheBase, string> {
  const given = (name: string, usual: string): string => (variables[name]?.startsWith('/') === true ? variables[name] : `${home}/${usual}`);
  return {
    home,
    cache: given('XDG_CACHE_HOME', '.cache'),
    data: given('XDG_DATA_HOME', '.local/share'),
    cargo: given('CARGO_HOME', '.cargo'),
    rustup: given('RUSTUP_HOME', '.rustup'),
    // go writes to the first folder of the list.
    go: given('GOPATH', 'go').split(':')[0] ?? '',
    gradle: given('GRADLE_USER_HOME', '.gradle'),
  };
}

/** The cache folders that commands see, with bases from the variables that the user has set. */
export function cacheFolders(home: string, variables: Readonly<Record<string, string | undefined>>): string[] {
  const bases = baseFolders(home, variables);
  return PACKAGE_CACHES.map(({ base, path }) => (path === '' ? bases[base] : `${bases[base]}/${path}`));
}

/** The folders in a home folder whose content a project keeps. None is inside another. */
export function keptFolders(home: string, variables: Readonly<Record<string, string | undefined>>): KeptFolder[] {
  const bases = baseFolders(home, variables);
  const all = [...PACKAGE_CACHES, ...FURTHER_CACHES].map(({ base, path }) => (path === '' ? bases[base] : `${bases[base]}/${path}`));
  const inHome = new Set(all.flatMap((path) => (path.startsWith(`${home}/`) ? [path.slice(home.length + 1)] : [])));
  const outermost = [...inHome].filter((path) => ![...inHome].some((other) => path.startsWith(`${other}/`)));
  return outermost.map((path) => ({ path, isDivided: `${home}/${path}` === bases.cache }));
}

/** Programs that fill a cache, and programs that start them: builds, scripts and task runners. */
const PROGRAMS =
  'npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack|deno|node-gyp|pip[\\d.]*|pipx|uv|uvx|poetry|pdm|hatch|tox|nox|pre-commit|cargo|go|mvn|mvnw|gradle|gradlew|dotnet|nuget|composer|make|gmake|cmake|ninja|meson|just|task|rake|bazel|ccache|sccache|rustup|rustc|gem|bundle|bundler|sbt|mill|cabal|stack|mix|rebar3|dart|flutter|conan|vcpkg|rye|pixi|terraform|tofu|zig|julia|opam|dune|nimble|elm|lein|clojure|clj|coursier|conda|mamba|micromamba|huggingface-cli|swift|nx|turbo|golangci-lint|gopls|staticcheck|sh|bash|zsh|dash|playwright|cypress';
const FILLS = new RegExp(`(?:^|[\\s;&|(\`'"=/])(?:${PROGRAMS})(?:\\.(?:[cm]?js|py|phar|jar))?(?=$|[\\s;&|)\`'"<>])`, 'u');
/** Words before a program or script: interpreters, programs that start others, and keywords. */
const BEFORE =
  'then|else|do|exec|command|time|env|nohup|nice|timeout|xargs|sudo|setsid|stdbuf|watch|-exec|-execdir|node|tsx|ts-node|python[\\d.]*|ruby|perl|php|java|source|\\.';
/** A program or script in the workspace, not a file that a program reads, as in `ls ./src`. The bound keeps hostile text cheap. */
const OWN = new RegExp(`(?:^|[;&|(\`{!\\n]|(?:^|\\s)(?:${BEFORE})\\s)\\s*(?:(?:-\\S*|\\d\\S*|[A-Za-z_]\\w*=\\S*)\\s+){0,8}['"]?\\.{1,2}\\/\\S`, 'u');

/**
 * Whether a command may write to the cache of a package manager. A writable layer costs some milliseconds. Without one,
 * caches are still readable.
 */
export function needsCaches(argv: readonly string[]): boolean {
  // The options of shells differ, but the command is the last argument.
  const text = argv.includes('-c') ? (argv.at(-1) ?? '') : argv.join(' ');
  return FILLS.test(text) || OWN.test(text);
}
