import { excerptLines, FOREIGN_FRAME, isBlank, type RunnerOutput } from './runner-output.ts';

const NOISE = /^(?:PASS| PASS ) \S|^\s+[✓○] |^(?:Snapshots: {3}0 total|Time: |Ran all test suites)/u;
/** What jest advises about each file that it cannot parse. */
const ADVICE =
  /^ {4}(?:Jest failed to parse a file\. |Out of the box Jest supports Babel, |By default "node_modules" folder is ignored|Here's what you can do:$| • (?:If you are trying to use |To have some of your "node_modules" |If you need a custom transformation, |If you simply want to mock )|You'll find more details and examples of these config options|https:\/\/jestjs\.io\/docs\/|For information about custom transformations, see:$|Details:$)/u;
const UNPARSED = /^ {4}Jest encountered an unexpected token$/u;
const EXCERPT = /^\s+(?:> *\d+ |\d+ )?\|/u;
const MARKED = /^\s+> *\d+ \|/u;

/** Without the failures that a long run tells again before its totals. */
function toldOnce(lines: readonly string[]): readonly string[] {
  const repeated = lines.findLastIndex((line) => line === 'Summary of all failing tests');
  const totals = lines.findIndex((line, index) => index > repeated && /^Test Suites: +\d/u.test(line));
  if (repeated === -1 || totals === -1) return lines;
  const before = new Set(lines.slice(0, repeated));
  return lines.filter((line, index) => index < repeated || index >= totals || (index > repeated && !before.has(line)));
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
    const isUnparsed = once.some((line) => UNPARSED.test(line));
    return once.filter((line, index) => {
      if (isBlank(line) || NOISE.test(line) || (excerpts.has(index) && !MARKED.test(line))) return false;
      if (/^\s+at /u.test(line) && (FOREIGN_FRAME.test(line) || line.endsWith('(<anonymous>)'))) return false;
      if (isUnparsed && ADVICE.test(line)) return false;
      const name = FAILED.exec(line)?.[1];
      return name === undefined || !told.has(name);
    });
  },
};
