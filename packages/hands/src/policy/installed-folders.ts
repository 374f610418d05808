/**
 * Folders of installed programs and of compiled code, each with what runs it. Repositories ignore them, so no review shows what a
 * call puts there, and the next start of that program is outside the sandbox.
 */
export const INSTALLED_FOLDERS: Readonly<Record<string, string>> = {
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
