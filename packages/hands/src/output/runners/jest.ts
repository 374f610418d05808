import { FOREIGN_FRAME, isBlank, type RunnerOutput } from './runner-output.ts';

const NOISE = /^PASS \S|^\s+[✓○] |^(?:Snapshots: {3}0 total|Time: |Ran all test suites)/u;
const FRAME_LINE = /^\s+\d+ \|/u;
const CARET = /^\s+\|\s+\^+$/u;

/** The output of jest. */
export const jest: RunnerOutput = {
  name: 'jest',
  sign: /^Test Suites: +\d/mu,
  condense(lines) {
    const repeated = lines.findIndex((line) => /^Summary of all failing tests$/u.test(line));
    const totals = lines.findIndex((line) => /^Test Suites: +\d/u.test(line));
    const once = repeated === -1 || totals < repeated ? lines : [...lines.slice(0, repeated), ...lines.slice(totals)];
    const toldInFull = once.some((line) => /^ {2}● /u.test(line));
    return once.filter((line) => {
      if (isBlank(line) || NOISE.test(line) || CARET.test(line) || FRAME_LINE.test(line)) return false;
      if (/^\s+at /u.test(line) && FOREIGN_FRAME.test(line)) return false;
      return !(toldInFull && /^\s+✕ /u.test(line));
    });
  },
};
