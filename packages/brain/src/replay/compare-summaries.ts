import { compareAnswers, type Answered, type ComparedCall, type Difference } from './compare-answers.ts';
import { sourcesIn, steadyText, type UnsteadyReason } from './unsteady-text.ts';

/** The duration at the end of the line about a command. */
const DURATION = /, \d{1,9}(?:\.\d{1,9})? ?(?:ms|s|min|h)$/u;
const withoutDuration = (answer: Answered): Answered => ({ ...answer, text: answer.text.replace(DURATION, '') });

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
  const unsteady = ([['time'], ['random'], ['disk']] as const).filter((reasons) => steadyText(text, reasons) !== steadyText(text, [])).flat();
  const reasons: UnsteadyReason[] = [...new Set([...sourcesIn(call.input), ...unsteady])];
  const unexplained = call.hasDeparted ? ('earlier' as const) : ('unknown' as const);
  const shown = { recorded: `output ${before.slice(0, SHOWN)}`, again: `output ${now.slice(0, SHOWN)}` };
  return { reasons: reasons.length > 0 ? reasons : [unexplained], ...shown, leftOtherFiles: false };
}
