import type { ShownChange } from '@synapse/hands';
import { defineCommand } from '../command/command.ts';
import { json, session, workspace } from '../command/shared-options.ts';
import { openHands } from '../open-hands.ts';
import type { Output, Style } from '../output.ts';
import { printJson } from '../print-json.ts';

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

export const command = defineCommand({
  details: 'Summed up by file: what came and went again does not show. Commands that ran live are not covered.',
  arguments: { '[call]': 'the id of one call (default: all that can be undone)' },
  options: { workspace, session, json },
  examples: [
    ['synapse changes', 'everything that was not undone'],
    ['synapse changes --session 5f1c', 'of one session'],
  ],
  async run({ arguments: { call }, options, out, err }) {
    await using hands = await openHands({ workspace: options.workspace }, err);
    const found = await hands.changes({
      ...(call === undefined ? {} : { call }),
      ...(options.session === undefined ? {} : { session: options.session }),
    });
    if (options.json) printJson(out, { changes: found });
    else for (const change of found) tell(out, change);
    if (!options.json && found.length === 0)
      err.write('No call changed a file, or all of it was undone. Commands that ran live are not covered.\n', 'dim');
    return 0;
  },
});
