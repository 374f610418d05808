import { columns } from '../output/columns.ts';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';
import { pendingOf, pendingRow, tellEffect } from '../output/pending-changes.ts';

export const command = defineCommand({
  details: 'A command runs on a copy of the workspace. If no person could be asked about its changes, they wait here. Later calls do not see them.',
  arguments: { '[handle]': 'show these changes as diffs (default: list all)' },
  options: { workspace, branch, json },
  examples: [
    ['synapse changes pending', 'what waits, and which command made it'],
    ['synapse changes pending c-3f2a', 'its changes as diffs'],
  ],
  showsRecords: true,
  async run(context) {
    const {
      arguments: { handle },
      options,
      out,
      err,
      signal,
    } = context;
    await using hands = await openHands({ workspace: options.workspace }, context);
    const pending = hands.pendingChanges();
    if (handle !== undefined) {
      const one = pendingOf(pending, handle);
      const effect = await hands.showPending(one.handle, { signal });
      if (options.json) printJson(out, { pending: one, effect });
      else {
        out.write(columns([pendingRow(one)]));
        tellEffect(out, effect);
        err.write(`To decide: synapse changes apply ${one.handle}, or synapse changes drop ${one.handle}\n`, 'dim');
      }
      return 0;
    }
    if (options.json) {
      printJson(out, { pending });
      return 0;
    }
    out.write(columns(pending.map(pendingRow)));
    if (pending.length === 0) err.write('No changes are pending.\n', 'dim');
    else err.write(`To look and decide: synapse changes apply ${pending[0]?.handle}\n`, 'dim');
    return 0;
  },
});
