import { stripVTControlCharacters } from 'node:util';

/** What the output of tests says. */
export interface TestSummary {
  readonly passed: number | undefined;
  readonly failed: number | undefined;
  readonly skipped: number | undefined;
  /** Whether it says that there was nothing to run. */
  readonly isEmpty: boolean;
}

const NOTHING =
  /\bno tests? (?:found|ran|to run|were found|specified|files?(?: found)?|collected|executed|cases?)\b|\bno test files\b|\[no tests to run\]|collected 0 items|\b0 tests? (?:ran|found|executed|collected)|\bran 0 tests\b|\bTests?:? +0 total\b|^\s*# tests 0$|^1\.\.0$|\b0 examples, 0 failures\b|\btotal tests: 0\b|No test is available|Tests run: 0\b|^\s*0 passing\b/imu;

/** Adds the numbers of all matches; undefined without a match. */
function sum(text: string, pattern: RegExp): number | undefined {
  const found = [...text.matchAll(pattern)];
  return found.length === 0 ? undefined : found.reduce((total, match) => total + Number((match[1] ?? match[2] ?? '0').replaceAll(',', '')), 0);
}

/** Lines of vitest and jest about files: their numbers are not those of tests. */
const FILES_LINE = /^.*\b(?:test files|test suites|snapshots?)\b.*$/gimu;

/** Reads the numbers that test runners print at their end. */
export function testSummary(output: string): TestSummary {
  const plain = stripVTControlCharacters(output);
  const text = plain.replaceAll(FILES_LINE, '');
  const tests = /^.*\bTests:?\s.*$/imu.exec(text)?.[0];
  const place = tests !== undefined && /\d+ (?:passed|failed|skipped|todo)/u.test(tests) ? tests : text;
  const passed = sum(place, /\b(\d[\d,]*) (?:passed|passing|pass|successes|ok)\b|^\s*# pass (\d+)/gimu);
  const failed = sum(place, /\b(\d[\d,]*) (?:failed|failing|failures?|errors?)\b|^\s*# fail (\d+)/gimu);
  const skipped = sum(place, /\b(\d[\d,]*) (?:skipped|pending|ignored|todo|disabled)\b|^\s*# skipped (\d+)/gimu);
  const isEmpty =
    (NOTHING.test(plain) && (passed ?? 0) === 0 && !GO_PASSED.test(text)) ||
    (passed === 0 && (failed ?? 0) === 0) ||
    (passed === undefined && (skipped ?? 0) > 0);
  return { passed, failed, skipped, isEmpty };
}

/** Go names the packages whose tests passed. */
const GO_PASSED = /^ok\s+\S+(?!.*\[no tests to run\])/mu;

/** The command that a package script runs, as package managers print it before its output. */
const SCRIPT_LINE = /^(?:> |\$ )(?!\S+@\S+ )(.+)$/gmu;
/** Commands that succeed without doing anything. */
const NO_OP = /^(?:true|:|exit 0|echo\b[^&|;]*|printf\b[^&|;]*|sleep \S+)(?:\s*(?:&&|;)\s*(?:true|:|exit 0|echo\b[^&|;]*))*$/u;

/** Whether a package script only pretends to do something. */
export function isEmptyScript(output: string): boolean {
  const scripts = [...stripVTControlCharacters(output).matchAll(SCRIPT_LINE)].map(([, script = '']) => script.trim());
  return scripts.length > 0 && scripts.every((script) => NO_OP.test(script));
}
