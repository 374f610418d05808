import { columns } from '../output/columns.ts';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { confirmOrThrow } from '../input/confirm-or-fail.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';
import { pendingOf, pendingRow } from '../output/pending-changes.ts';

export const command = defineCommand({
  details: 'The changes were never applied to the workspace, and are deleted permanently.',
  arguments: { '<handle>': 'as `synapse changes pending` shows it, or its beginning' },
  options: { workspace, branch, yes, json },
  examples: [['synapse changes drop c-3f2a', 'delete them']],
  async run(context) {
    const { arguments: words, options, out, err } = context;
    await using hands = await openHands({ workspace: options.workspace }, context);
    const pending = pendingOf(hands.pendingChanges(), words.handle);
    if (!options.json) err.write(columns([pendingRow(pending)]));
    await confirmOrThrow('Delete these changes for good?', 'nothing was deleted', context);
    await hands.dropPending(pending.handle);
    if (options.json) printJson(out, { dropped: pending });
    else err.write('They are deleted.\n');
    return 0;
  },
});
