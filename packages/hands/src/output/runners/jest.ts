import { excerptLines, FOREIGN_FRAME, isBlank, type RunnerOutput } from './runner-output.ts';

const NOISE = /^PASS \S|^\s+[✓○] |^(?:Snapshots: {3}0 total|Time: |Ran all test suites)/u;
const EXCERPT = /^\s+(?:> *\d+ |\d+ )?\|/u;
const MARKED = /^\s+> *\d+ \|/u;

/** Without the failures that a long run tells again before its totals. */
function toldOnce(lines: readonly string[]): readonly string[] {
  const repeated = lines.findLastIndex((line) => line === 'Summary of all failing tests');
  const totals = lines.findIndex((line, index) => index > repeated && /^Test Suites: +\d/u.test(line));
  if (repeated === -1 || totals === -1) return lines;
  const before = new Set(lines.slice(0, repeated));
  return lines.filter((line, index) => index < repeated || index >= totals || !before.has(line));
}

const HEADING = /^ {2}● (?!Console$)(.+)$/u;
const FAILED = /^\s+✕ (.+?)(?: \([\d.]+ m?s\))?$/u;

/** The names by which the list may call a failure that is reported in full: all of it, or that of the test in its groups. */
function namesOf(line: string): string[] {
  const full = HEADING.exec(line)?.[1];
  if (full === undefined) return [];
  const groups = full.split(' › ');
  return [full, groups.slice(1).join(' › '), groups.at(-1) ?? ''];
}

/** The output of jest. */
export const jest: RunnerOutput = {
  name: 'jest',
  sign: /^Test Suites: +\d/mu,
  condense(lines) {
    const once = toldOnce(lines);
    const excerpts = excerptLines(once, EXCERPT, MARKED);
    const told = new Set(once.flatMap(namesOf));
    return once.filter((line, index) => {
      if (isBlank(line) || NOISE.test(line) || (excerpts.has(index) && !MARKED.test(line))) return false;
      if (/^\s+at /u.test(line) && FOREIGN_FRAME.test(line)) return false;
      const name = FAILED.exec(line)?.[1];
      return name === undefined || !told.has(name);
    });
  },
};
