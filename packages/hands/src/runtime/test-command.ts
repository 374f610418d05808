/** Programs that only run tests. */
const RUNNERS = 'vitest|jest|mocha|ava|pytest|py\\.test|tox|nox|rspec|phpunit|ctest|jasmine|karma|nextest';
/** Programs that run tests by a word, such as `npm test` and `make check`. */
const TOOLS = 'npm|pnpm|yarn|bun|deno|cargo|go|make|just|mvn|mvnw|gradle|gradlew|dotnet|swift|mix|rake|bazel|zig|composer|rails|flutter|dart';
const WORDS = '(?:run\\s+|run-script\\s+)?(?:t|tst|tests?|unittest|check|verify)(?:[:.-][\\w:.-]+)?';
/** Before and after a word of a command line. */
const [BEFORE, AFTER] = ['(?:^|[\\s/;&|("\'])', '(?=$|[\\s;&|)"\'])'];

const TESTS: readonly RegExp[] = [
  new RegExp(`${BEFORE}(?:${RUNNERS})${AFTER}`, 'u'),
  new RegExp(`${BEFORE}(?:${TOOLS})\\s+(?:-\\S+\\s+){0,4}${WORDS}${AFTER}`, 'u'),
  new RegExp(`${BEFORE}node\\s(?:\\S+\\s+){0,8}--test${AFTER}`, 'u'),
  new RegExp(`${BEFORE}python[\\d.]*\\s+-m\\s+(?:pytest|unittest)${AFTER}`, 'u'),
  new RegExp(`${BEFORE}(?:playwright\\s+test|cypress\\s+run)${AFTER}`, 'u'),
];

/** Characters of a command line that are looked at. */
const MAX_LINE = 2_000;

/** Whether a command runs tests, as far as its words tell. */
export function isTestCommand(line: string): boolean {
  const start = line.slice(0, MAX_LINE);
  return TESTS.some((pattern) => pattern.test(start));
}
