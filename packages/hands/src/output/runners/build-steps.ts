import { looksLikeError } from '../error-lines.ts';
import type { RunnerOutput } from './runner-output.ts';

/** A step of ninja, cmake, make and others: `[12/2000] compiling x`, `[ 12%] Building x`. */
const STEP = /^\[ *(?:\d+\/\d+|\d+%)\] /u;
/** A step with a value or a verdict is a result, such as that of an epoch or a check. */
const SAYS_MORE = /[=:] *-?\d|\b(?:bad|warn(?:ing)?|skip(?:ped)?|timeout|mismatch|score|loss)\b/iu;
/** Fewer may be results of a program. */
const MIN_STEPS = 20;

/** The steps of a build: the last one tells how far it came. */
export const buildSteps: RunnerOutput = {
  name: 'build steps',
  sign: /^\[ *(?:\d+\/\d+|\d+%)\] /mu,
  condense(lines) {
    const steps = lines.filter((line) => STEP.test(line));
    if (steps.length < MIN_STEPS) return lines;
    const last = lines.findLastIndex((line) => STEP.test(line));
    return lines.filter((line, index) => !STEP.test(line) || index === last || looksLikeError(line) || SAYS_MORE.test(line));
  },
};
