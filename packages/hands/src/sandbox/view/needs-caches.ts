/** Programs that fill a cache, and programs that start them: builds, scripts and task runners. */
const PROGRAMS =
  'npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack|deno|node-gyp|pip[\\d.]*|pipx|uv|uvx|poetry|pdm|hatch|tox|nox|pre-commit|cargo|go|mvn|mvnw|gradle|gradlew|dotnet|nuget|composer|make|gmake|cmake|ninja|meson|just|task|rake|bazel|sh|bash|zsh|dash|playwright|cypress';
const FILLS = new RegExp(`(?:^|[\\s;&|(\`'"=/])(?:${PROGRAMS})(?=$|[\\s;&|)\`'"<>])`, 'u');
/** A program or script in the workspace. */
const OWN = /(?:^|[\s;&|(`'"])\.{1,2}\/\S/u;

/**
 * Whether a command may write to the cache of a package manager. A writable layer costs some milliseconds. Without one,
 * caches are still readable.
 */
export function needsCaches(argv: readonly string[]): boolean {
  // The options of shells differ, but the command is the last argument.
  const text = argv.includes('-c') ? (argv.at(-1) ?? '') : argv.join(' ');
  return FILLS.test(text) || OWN.test(text);
}
