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

/** Reads the numbers that test runners print at their end. The output is hostile: no pattern may take the square of its length. */
export function testSummary(output: string): TestSummary {
  const plain = stripVTControlCharacters(output);
  const text = plain.replaceAll(FILES_LINE, '');
  const tests = /^.*\bTests:?\s.*$/imu.exec(text)?.[0];
  const place = tests !== undefined && /\d+ (?:passed|failed|skipped|todo)/u.test(tests) ? tests : text;
  const passed = sum(place, /(?<!\d,*)\b(\d[\d,]*) (?:passed|passing|pass|successes|ok)\b|^\s*# pass (\d+)/gimu);
  const failed = sum(place, /(?<!\d,*)\b(\d[\d,]*) (?:failed|failing|failures?|errors?)\b|^\s*# fail (\d+)/gimu);
  const skipped = sum(place, /(?<!\d,*)\b(\d[\d,]*) (?:skipped|pending|ignored|todo|disabled)\b|^\s*# skipped (\d+)/gimu);
  const isEmpty =
    (NOTHING.test(plain) && (passed ?? 0) === 0 && !hasPassedInGo(text)) ||
    (passed === 0 && (failed ?? 0) === 0) ||
    (passed === undefined && (skipped ?? 0) > 0);
  return { passed, failed, skipped, isEmpty };
}

/** Go names the packages whose tests passed. */
const hasPassedInGo = (text: string): boolean => text.split('\n').some((line) => /^ok\s+\S/u.test(line) && !line.includes('[no tests to run]'));

/** The command that a package script runs, as package managers print it before its output. */
const SCRIPT_LINE = /^(?:> |\$ )(.+)$/gmu;
/** The line before it: the package with its version, and the name of the script. */
const PACKAGE_LINE = /^\S[^\s@]*@[^\s@]+ /u;
/** Commands that succeed without doing anything. */
const NO_OP = /^(?:true|:|exit 0|echo\b[^&|;]*|printf\b[^&|;]*|sleep \S+)$/u;
const isNoOp = (script: string): boolean => script.split(/&&|;/u).every((part) => NO_OP.test(part.trim()));

/** Whether a package script only pretends to do something. */
export function isEmptyScript(output: string): boolean {
  const lines = [...stripVTControlCharacters(output).matchAll(SCRIPT_LINE)].map(([, line = '']) => line);
  const scripts = lines.filter((line) => !PACKAGE_LINE.test(line)).map((line) => line.trim());
  return scripts.length > 0 && scripts.every(isNoOp);
}
