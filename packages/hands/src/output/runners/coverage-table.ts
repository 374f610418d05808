import type { RunnerOutput } from './runner-output.ts';

/** A file of which everything is covered. */
const WHOLE = /^ *\S[^|]*\|(?: +100 +\|){4} *$/u;
const TOTAL = /^All files +\|/u;

/** The table of coverage that jest, vitest and nyc print: the files of which something is not covered, and the totals. */
export const coverageTable: RunnerOutput = {
  name: 'coverage',
  sign: /^File +\| % Stmts \| % Branch \| % Funcs \| % Lines \| Uncovered Line #s/mu,
  condense: (lines) => lines.filter((line) => !WHOLE.test(line) || TOTAL.test(line)),
};
