import type { ShownChange } from '@synapse/hands';
import type { CommandAction } from '../command.ts';
import { openHands } from '../open-hands.ts';
import type { Output, Style } from '../output.ts';
import { visibleJson } from '../visible-text.ts';

const STYLES: ReadonlyArray<readonly [string, Style]> = [
  ['+', 'green'],
  ['-', 'red'],
  ['@', 'dim'],
];

function tell(out: Output, { kind, path, from, current, diff, note }: ShownChange): void {
  const facts = [...(note === undefined ? [] : [note]), ...(current ? [] : ['changed since'])];
  out.write(`${kind} ${from === undefined ? '' : `${from} → `}${path}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}\n`, 'bold');
  if (diff === undefined) return;
  for (const line of diff.split(/(?<=\n)/u)) out.write(line, STYLES.find(([mark]) => line.startsWith(mark))?.[1]);
  if (!diff.endsWith('\n')) out.write('\n');
}

/** Shows what calls changed. */
export const changes: CommandAction = async ({ arguments: [call], options, out, err }) => {
  const { session, json } = options;
  await using hands = await openHands({ ...options, yes: false, allow: [] }, err);
  const found = await hands.changes({ ...(call === undefined ? {} : { call }), ...(session === undefined ? {} : { session }) });
  if (json) out.write(`${visibleJson(JSON.stringify({ changes: found }, null, out.isTerminal ? 2 : 0))}\n`);
  else for (const change of found) tell(out, change);
  if (!json && found.length === 0)
    err.write('No call changed a file, or all of it was undone. Of commands, those are covered that ran with --undoable or after a try.\n', 'dim');
  return 0;
};
