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
/** A file that makes the folder around it an environment of Python, whatever its name. */
const ENVIRONMENT_FILE = 'pyvenv.cfg';

/** Returns the outermost folder of installed programs that a folded path is in, or is; undefined if there is none. */
export function installedFolder(folded: string): string | undefined {
  const names = folded.split('/');
  const isInstalled = (name: string, index: number): boolean =>
    name === ENVIRONMENT_FILE || Object.hasOwn(INSTALLED_FOLDERS, name) || Object.hasOwn(INSTALLED_FOLDERS, `${names[index - 1] ?? ''}/${name}`);
  const end = names.findIndex(isInstalled);
  return end === -1 ? undefined : names.slice(0, end + 1).join('/');
}
