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
