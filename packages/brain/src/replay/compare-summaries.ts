import { compareAnswers, type Answered, type ComparedCall, type Difference } from './compare-answers.ts';
import { normalizersOf } from './normalizers.ts';
import { unsteadyAlone } from './unsteady-text.ts';

/** The duration at the end of the line about a command. */
const DURATION = /, \d{1,9}(?:\.\d{1,9})? ?(?:ms|s|min|h)$/u;
const withoutDuration = (answer: Answered): Answered => ({ ...answer, text: answer.text.replace(DURATION, '') });

/** The output in the answer of a command, without the first line about the run. */
const outputOf = (text: string): string => text.replace(/^\[[^\n]{0,400}\]\n/u, '');

/** Digits of a hash to show. */
const SHOWN = 16;

/**
 * Compares a call by the line about it, its outcome and the hash of its output, where the answer was not recorded.
 *
 * @param text the new answer, which alone can tell why a hash differs
 */
export function compareSummaries(recorded: Answered, again: Answered, text: string, call: ComparedCall): Difference | undefined {
  const difference = compareAnswers(withoutDuration(recorded), withoutDuration(again), call);
  const [before, now] = [recorded.facts?.output, again.facts?.output];
  if (difference !== undefined || before === undefined || now === undefined || before === now) return difference;
  // Only a hash was recorded. What is nothing but a time, or a random value, explains another one; a part of more does not.
  const reasons = unsteadyAlone(outputOf(text), normalizersOf(call.input));
  const unexplained = call.hasDeparted ? ('earlier' as const) : ('unknown' as const);
  const shown = { recorded: `output ${before.slice(0, SHOWN)}`, again: `output ${now.slice(0, SHOWN)}` };
  return { reasons: reasons.length > 0 ? reasons : [unexplained], ...shown, leftOtherFiles: false };
}
