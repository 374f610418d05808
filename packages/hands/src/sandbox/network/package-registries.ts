/** A package manager, the files that show that a project uses it, and the hosts of its packages. */
interface Registry {
  /** File names in a project; `*` stands for the beginning of a name. */
  readonly manifests: readonly string[];
  readonly hosts: readonly string[];
}

/** Hosts that `--network packages` opens. Hosts that accept anonymous or arbitrary uploads, such as code hosts, are not included. */
export const REGISTRIES: readonly Registry[] = [
  {
    manifests: ['package.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'],
    hosts: ['registry.npmjs.org', 'registry.yarnpkg.com'],
  },
  { manifests: ['deno.json', 'deno.jsonc', 'jsr.json'], hosts: ['jsr.io', 'npm.jsr.io', 'deno.land', 'registry.npmjs.org'] },
  {
    manifests: ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'Pipfile', 'uv.lock', 'poetry.lock', 'tox.ini'],
    hosts: ['pypi.org', 'files.pythonhosted.org'],
  },
  { manifests: ['Cargo.toml'], hosts: ['index.crates.io', 'static.crates.io', 'crates.io'] },
  { manifests: ['go.mod', 'go.work'], hosts: ['proxy.golang.org', 'sum.golang.org'] },
  {
    manifests: ['pom.xml', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
    hosts: ['repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org', 'plugins-artifacts.gradle.org', 'services.gradle.org'],
  },
  { manifests: ['Gemfile', '*.gemspec'], hosts: ['rubygems.org', 'index.rubygems.org'] },
  { manifests: ['composer.json'], hosts: ['repo.packagist.org', 'packagist.org'] },
  { manifests: ['*.csproj', '*.fsproj', '*.sln', '*.slnx'], hosts: ['api.nuget.org'] },
  { manifests: ['mix.exs'], hosts: ['repo.hex.pm', 'builds.hex.pm'] },
  { manifests: ['pubspec.yaml'], hosts: ['pub.dev'] },
];

/** A user's setting that names a registry. */
interface RegistrySetting {
  /** Path below the home folder, or absolute; undefined if there is only a variable. */
  readonly files: readonly string[];
  readonly pattern: RegExp;
  readonly variables: readonly string[];
  /** The variable that passes the address to commands, without credentials; undefined if only the host is opened. */
  readonly tell?: string;
}

/** Only the user's own files: a repository must not choose where commands may connect. */
export const REGISTRY_SETTINGS: readonly RegistrySetting[] = [
  {
    files: ['.npmrc'],
    pattern: /^registry\s*=\s*(?<url>\S+)/gmu,
    variables: ['npm_config_registry', 'NPM_CONFIG_REGISTRY'],
    tell: 'npm_config_registry',
  },
  { files: ['.npmrc'], pattern: /^@[^:\s]+:registry\s*=\s*(?<url>\S+)/gmu, variables: [] },
  {
    files: ['.config/pip/pip.conf', '.pip/pip.conf', '/etc/pip.conf'],
    pattern: /^\s*index-url\s*=\s*(?<url>\S+)/gmu,
    variables: ['PIP_INDEX_URL'],
    tell: 'PIP_INDEX_URL',
  },
  {
    files: ['.config/pip/pip.conf', '.pip/pip.conf', '/etc/pip.conf'],
    pattern: /^\s*extra-index-url\s*=\s*(?<url>\S+)/gmu,
    variables: ['PIP_EXTRA_INDEX_URL'],
  },
  { files: [], pattern: /(?!)/gu, variables: ['UV_DEFAULT_INDEX', 'UV_INDEX_URL'], tell: 'UV_DEFAULT_INDEX' },
  { files: [], pattern: /(?!)/gu, variables: ['GOPROXY'], tell: 'GOPROXY' },
  { files: ['.cargo/config.toml', '.cargo/config'], pattern: /^\s*(?:index|registry)\s*=\s*"(?:sparse\+)?(?<url>https?:[^"]+)"/gmu, variables: [] },
  { files: ['.m2/settings.xml'], pattern: /<url>\s*(?<url>https?:[^<\s]+)/gu, variables: [] },
];
