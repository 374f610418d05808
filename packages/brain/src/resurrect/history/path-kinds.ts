import { extension } from '../structure/languages.ts';

/** Generated and vendored files, which are not edited in the project. */
const BROUGHT = /(?:^|\/)(?:node_modules|bower_components|vendor|third[-_]party|external|deps|dist|\.git)\/|\.(?:min\.(?:js|css)|map|snap)$/u;
/** Test inputs, expected outputs, and examples: their content is data. */
const DATA =
  /(?:^|\/)(?:__fixtures__|fixtures?|testdata|test[-_]data|__snapshots__|snapshots?|goldens?|corpus|examples?|samples?|benchmarks?|templates?)\//iu;
/** Extensions of documents and data, in which a note is content and not a real note. */
const PROSE: ReadonlySet<string> = new Set(['md', 'markdown', 'mdx', 'rst', 'adoc', 'txt', 'lock', 'log', 'svg', 'csv', 'json', 'po', 'html']);

/** Whether a file is not part of the actual work: vendored, generated, or test data. */
export function isAside(path: string): boolean {
  return BROUGHT.test(path) || DATA.test(path);
}

/** Whether a file is a document, a list or data rather than source code. */
export function isProse(path: string): boolean {
  return PROSE.has(extension(path));
}

/** Whether a file contains tests, by its name or folder. */
export function isTest(path: string): boolean {
  return /(?:^|\/)(?:tests?|specs?|__tests__)\/|[._-](?:test|spec)s?\.[^/]+$|(?:^|\/)test_[^/]+$|Tests?\.(?:java|kt|cs|swift|php|scala)$/u.test(path);
}

/** Lock files change because manifests do. */
const LOCK =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|go\.sum|mix\.lock|flake\.lock|gradle\.lockfile)$/u;
/** Files that contain versions: of dependencies, of actions, and of the project. */
const VERSIONS =
  /(?:^|\/)(?:package\.json|Cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*\.txt|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|gradle\.properties|libs\.versions\.toml|gradle-wrapper\.(?:properties|jar)|maven-wrapper\.properties|Gemfile|[^/]+\.gemspec|composer\.json|pubspec\.yaml|mix\.exs|[^/]+\.csproj|Directory\.Packages\.props|Dockerfile|\.pre-commit-config\.yaml|\.tool-versions|\.nvmrc|VERSION|[_]*version[_]*\.\w+|(?:CHANGELOG|CHANGES|HISTORY|NEWS)(?:\.\w+)?)$|(?:^|\/)\.github\/(?:workflows\/[^/]+|dependabot\.yml|renovate\.json)$/iu;

/** Whether a file is a lock file of a package manager. */
export function isLock(path: string): boolean {
  return LOCK.test(path);
}

/** Whether version updates change a file. */
export function holdsVersions(path: string): boolean {
  return isLock(path) || VERSIONS.test(path);
}
