import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { confirmOrFail } from '../input/confirm-or-fail.ts';
import { openHands } from '../hands/open-hands.ts';
import { columns } from '../output/columns.ts';
import { printJson } from '../output/print-json.ts';
import { appliedCode, tellApplied } from '../output/tell-applied.ts';
import { pendingOf, pendingRow, tellEffect } from '../output/pending-changes.ts';

export const command = defineCommand({
  details:
    'Shows the changes as diffs, and asks. The current rules apply. A file that was changed in the meantime stays as it is, and its change stays pending: the exit code is then 1.',
  arguments: { '<handle>': 'as `synapse changes pending` shows it, or its beginning' },
  options: { workspace, branch, yes, json },
  examples: [
    ['synapse changes apply c-3f2a', 'after a look at them'],
    ['synapse changes apply c-3f2a --yes', 'without being asked'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    await using hands = await openHands({ workspace: options.workspace }, context);
    const pending = pendingOf(hands.pendingChanges(), words.handle);
    const effect = await hands.showPending(pending.handle, { signal });
    if (!options.json) {
      err.write(columns([pendingRow(pending)]));
      tellEffect(err, effect);
    } else if (!options.yes) printJson(out, { pending, effect, result: null });
    const no = await confirmOrFail('Apply this?', 'nothing was applied', context);
    if (no !== undefined) return no;
    const result = await hands.applyPending(pending.handle, { signal });
    if (options.json) printJson(out, { pending, effect, result });
    else tellApplied(err, result);
    return appliedCode(result);
  },
});
