import { columns } from '../output/columns.ts';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';
import { pendingRow } from './on-pending.ts';

export const command = defineCommand({
  details:
    'A command runs on a copy of the workspace. Where a person could not be asked about what it changed, that waits here; later calls do not see it.',
  options: { workspace, json },
  examples: [['synapse changes pending', 'what waits, and by which command it was made']],
  async run({ options, out, err }) {
    await using hands = await openHands({ workspace: options.workspace }, err);
    const pending = hands.pendingChanges();
    if (options.json) {
      printJson(out, { pending });
      return 0;
    }
    out.write(columns(pending.map(pendingRow)));
    if (pending.length === 0) err.write('No changes wait here.\n', 'dim');
    else err.write(`To look and decide: synapse changes apply ${pending[0]?.handle}\n`, 'dim');
    return 0;
  },
});
