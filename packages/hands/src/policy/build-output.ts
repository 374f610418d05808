/** Why nobody needs to look at what a tool made below a folder of this name, where the repository ignores it. */
const OUTPUT_FOLDERS: Readonly<Record<string, string>> = {
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
  '.vite': 'vite caches in it',
  '.vite-temp': 'vite loads its configuration by it',
  '.vitest': 'vitest caches in it',
  '.gradle': 'gradle caches in it',
  '.mypy_cache': 'mypy caches in it',
  '.pytest_cache': 'pytest caches in it',
  '.ruff_cache': 'ruff caches in it',
  __pycache__: 'python caches in it',
  coverage: 'a report on tests',
  '.nyc_output': 'a report on tests',
  htmlcov: 'a report on tests',
  'test-results': 'a report on tests',
  'playwright-report': 'a report on tests',
};

/** The same for files. */
const OUTPUT_FILES = /(?:\.tsbuildinfo|\.log|^\.eslintcache|^\.stylelintcache|^\.prettiercache|^\.coverage|^lcov\.info|^junit\.xml)$/u;

/** Below folders of these names lie programs that a package manager put there and others run. */
const DEPENDENCIES: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  '.venv',
  'venv',
  'virtualenv',
  'site-packages',
  'vendor',
  '.yarn',
  '.pnpm-store',
  '.bundle',
  '.tox',
  '.nox',
  'bin',
  '.bin',
  '.git',
]);
/** Caches that tools keep beside the packages. */
const CACHES_BESIDE_PACKAGES: ReadonlySet<string> = new Set(['.cache', '.vite', '.vite-temp', '.vitest']);

/**
 * Why what a command changed at a place is output of a build, a test or a cache that no other program runs; undefined where
 * it may be more. It counts only for what the repository itself ignores.
 */
export function buildOutput(path: string): string | undefined {
  const names = path.split('/');
  for (const [index, name] of names.entries()) {
    if (DEPENDENCIES.has(name)) {
      const cache = name === 'node_modules' && CACHES_BESIDE_PACKAGES.has(names[index + 1] ?? '') ? names[index + 1] : undefined;
      return cache === undefined ? undefined : OUTPUT_FOLDERS[cache];
    }
    if (Object.hasOwn(OUTPUT_FOLDERS, name))
      return names.slice(index + 1).some((below) => DEPENDENCIES.has(below)) ? undefined : OUTPUT_FOLDERS[name];
  }
  return OUTPUT_FILES.test(names.at(-1) ?? '') ? 'a tool writes it anew' : undefined;
}
