import type { countReplay, ReplayedCall } from '@synapse/brain';
import { count } from '@synapse/hands/internal';
import type { Output, Style } from '../output/output.ts';
import { inLine, visibleText } from '../output/visible-text.ts';

type Reason = ReplayedCall['reasons'][number];

/** What a reason means, for a person. */
const MEANINGS: Readonly<Record<Reason, string>> = {
  time: 'times or durations',
  random: 'random values, such as ids and hashes',
  disk: 'how a disk stores folders',
  timing: 'the order of lines, or how fast it ran',
  network: 'the network',
  files: 'it saw other files than at the recording',
  earlier: 'an earlier call ended otherwise',
  unknown: 'for no known reason',
  'not run': 'it did not run at the recording either',
  'no answer': 'its answer was not recorded',
  refused: 'it was not allowed at the recording either',
  'no such tool': 'there is no such tool here',
  arguments: 'its arguments are not whole in the record',
  'needs approval': 'it needs a yes: --yes',
};

const STATES: Readonly<Record<ReplayedCall['state'], Style>> = { same: 'dim', differs: 'yellow', 'not replayed': 'yellow' };

/** Prints a call of a replay, with what differs. */
export function tellReplayedCall(out: Output, { state, summary, reasons, recorded, again }: ReplayedCall): void {
  const why = reasons.map((reason) => MEANINGS[reason]).join('; ');
  out.write(`${state.padEnd(12)}  ${visibleText(inLine(summary))}${why === '' ? '' : `  (${why})`}\n`, STATES[state]);
  if (recorded === undefined || again === undefined) return;
  out.write(`  recorded: ${visibleText(inLine(recorded))}\n  again:    ${visibleText(inLine(again))}\n`, 'dim');
}

/** The last line of a replay. */
export function replaySummary({ calls, same, differs, not_replayed: skipped, reasons }: ReturnType<typeof countReplay>): string {
  const why = Object.entries(reasons).map(([reason, times]) => `${reason} ${times}`);
  return `${count(calls, 'call')}: ${same} same, ${differs} differ, ${skipped} not replayed${why.length === 0 ? '' : ` (${why.join(', ')})`}.`;
}
