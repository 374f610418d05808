/** A package manager, by the files and folders that it writes. */
export interface PackageManager {
  /** File names of what a person writes. */
  readonly manifests: readonly string[];
  /** File names of what it writes itself, with how to find the packages in one. */
  readonly locks: Readonly<Record<string, (text: string) => Iterable<string>>>;
  /** Names of folders of installed packages. */
  readonly folders: readonly string[];
  /** Matches the path of one file in each installed package. */
  readonly mark: RegExp | undefined;
  /** The name of that file if it says the package's version, as JSON. */
  readonly versionIn?: string;
  /** Matches the path of a new folder that is one package, or holds packages only. A new folder elsewhere is part of a package that was there. */
  readonly unit: RegExp | undefined;
  /** Matches the package that contains a path, if its files can be told from those of others: `node_modules/a` of `node_modules/a/b.js`. */
  readonly owner?: RegExp;
  /** Matches files of the package manager itself that nothing runs. */
  readonly records?: RegExp;
}

function* matches(text: string, pattern: RegExp): Generator<string> {
  for (const { groups = {} } of text.matchAll(pattern)) yield `${groups['name'] ?? ''}@${groups['version'] ?? ''}`;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    // Half written, or something else under this name: no packages are found in it.
    return {};
  }
}

/** `packages` of version 2 and newer, by path; `dependencies` of version 1, by name. */
function npmPackages(text: string): string[] {
  const { packages, dependencies } = parsed(text);
  const found = isRecord(packages) ? packages : isRecord(dependencies) ? dependencies : {};
  return Object.entries(found).flatMap(([path, facts]) =>
    path === '' || !isRecord(facts) || facts['link'] === true ? [] : [`${path}@${String(facts['version'])}`],
  );
}

function composerPackages(text: string): string[] {
  const { packages, 'packages-dev': dev } = parsed(text);
  const lists: unknown[] = [packages, dev].flatMap((list) => (Array.isArray(list) ? list : []));
  return lists.flatMap((one) => (isRecord(one) ? [`${String(one['name'])}@${String(one['version'])}`] : []));
}

/** `[[package]]` tables of Cargo, uv and Poetry. */
const tomlPackages = (text: string): Iterable<string> =>
  matches(text, /^\[\[package\]\]\r?\nname = "(?<name>[^"\n]*)"\r?\nversion = "(?<version>[^"\n]*)"/gmu);

const pnpmPackages = (text: string): Iterable<string> => {
  const start = /^packages:$/mu.exec(text)?.index;
  const end = /^snapshots:$/mu.exec(text)?.index;
  return start === undefined ? [] : matches(text.slice(start, end), /^ {2}['"]?\/?(?<name>@?[^@'"\n]+)[@/](?<version>[^'"\n]+)['"]?:$/gmu);
};

/** The package managers of this table, each row by what it reads and writes itself. */
export const PACKAGE_MANAGERS: readonly PackageManager[] = [
  {
    manifests: ['package.json', 'pnpm-workspace.yaml'],
    locks: {
      'package-lock.json': npmPackages,
      'npm-shrinkwrap.json': npmPackages,
      'pnpm-lock.yaml': pnpmPackages,
      'yarn.lock': (text) => matches(text, /^"?(?<name>@?[^@"\s#][^@"\n]*)@[^\n]*:\r?\n {2}version:? "?(?<version>[^"\n]+)"?$/gmu),
      'bun.lock': (text) => matches(text, /^ {4}"[^"\n]+": \["(?<name>@?[^@"\n]+)@(?<version>[^"\n]+)"/gmu),
    },
    folders: ['node_modules', '.pnpm-store', '.yarn'],
    mark: /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/.@][^/]*\/package\.json$/u,
    versionIn: 'package.json',
    unit: /(?:^|\/)(?:node_modules(?:\/(?:@[^/]+\/|\.pnpm\/)?[^/]+)?|\.pnpm-store|\.yarn\/(?:cache|unplugged))$/u,
    owner: /^.*(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/.@][^/]*(?=\/)/u,
    records: /(?:^|\/)node_modules\/(?:\.package-lock\.json|\.yarn-integrity|\.yarn-state\.yml|\.modules\.yaml)$/u,
  },
  {
    manifests: ['pyproject.toml', 'requirements.txt', 'requirements-dev.txt', 'Pipfile'],
    locks: {
      'uv.lock': tomlPackages,
      'poetry.lock': tomlPackages,
      'Pipfile.lock': (text) => matches(text, /^ {8}"(?<name>[^"\n]+)": \{$/gmu),
    },
    folders: ['.venv', 'venv', 'virtualenv', 'site-packages'],
    mark: /\.dist-info\/METADATA$/u,
    unit: /(?:^|\/)(?:\.venv|venv|virtualenv|site-packages(?:\/[^/]+)?)$/u,
  },
  { manifests: ['Cargo.toml'], locks: { 'Cargo.lock': tomlPackages }, folders: [], mark: undefined, unit: undefined },
  {
    manifests: ['go.mod', 'go.work'],
    locks: { 'go.sum': (text) => matches(text, /^(?<name>\S+) (?<version>[^\s/]+) h1:/gmu) },
    folders: [],
    mark: undefined,
    unit: undefined,
  },
  {
    manifests: ['Gemfile'],
    locks: { 'Gemfile.lock': (text) => matches(text, /^ {4}(?<name>\S+) \((?<version>[^)\n]+)\)$/gmu) },
    folders: ['vendor/bundle', '.bundle'],
    mark: /\/specifications\/[^/]+\.gemspec$/u,
    unit: /(?:^|\/)(?:vendor\/bundle|\.bundle|gems\/[^/]+)$/u,
  },
  {
    manifests: ['composer.json'],
    locks: { 'composer.lock': composerPackages },
    folders: ['vendor'],
    mark: /(?:^|\/)vendor\/[^/]+\/[^/]+\/composer\.json$/u,
    unit: /(?:^|\/)vendor(?:\/[^/]+){0,2}$/u,
  },
];

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether a file says which packages a project needs: `manifest` is written by people, `lock` by a package manager. */
export function packageFile(path: string): 'manifest' | 'lock' | undefined {
  const name = nameOf(path);
  if (PACKAGE_MANAGERS.some(({ manifests }) => manifests.includes(name))) return 'manifest';
  return PACKAGE_MANAGERS.some(({ locks }) => Object.hasOwn(locks, name)) ? 'lock' : undefined;
}

/** Returns the outermost folder of installed packages that contains a path, or is it. */
export function packageFolder(path: string): string | undefined {
  const names = path.split('/');
  for (const [index, name] of names.entries()) {
    const two = `${name}/${names[index + 1] ?? ''}`;
    const found = PACKAGE_MANAGERS.flatMap(({ folders }) => folders).find((folder) => folder === name || folder === two);
    if (found !== undefined) return names.slice(0, index + found.split('/').length).join('/');
  }
  return undefined;
}

/** The package manager that a folder of installed packages belongs to. */
export function managerOf(folder: string): PackageManager | undefined {
  return PACKAGE_MANAGERS.find(({ folders }) => folders.some((name) => folder === name || folder.endsWith(`/${name}`)));
}
