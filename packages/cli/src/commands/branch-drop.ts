import { BranchStore, count, countChanges, defaultStateFolder } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { confirmOrThrow } from '../input/confirm-or-fail.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  details: 'What was changed in it is deleted, and cannot be restored.',
  arguments: { '<name>': 'the branch' },
  options: { workspace, yes, json },
  examples: [['synapse branch drop fix-login', 'delete it, after a question if it has changes']],
  async run(context) {
    const { arguments: words, options, out, err } = context;
    await using hands = await openHands({ workspace: options.workspace }, context);
    const changes = countChanges(new BranchStore(defaultStateFolder(), hands.workspace).get(words.name).folder);
    if (changes > 0) {
      await confirmOrThrow(`Delete ${words.name} with ${count(changes, 'change')}?`, 'nothing was deleted', context);
    }
    const dropped = await hands.dropBranch(words.name, { changes });
    if (options.json) printJson(out, dropped);
    else err.write(`Branch ${dropped.name} deleted.\n`);
    return 0;
  },
});
