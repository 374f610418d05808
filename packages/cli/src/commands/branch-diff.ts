import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { diffStat } from '../output/diff-stat.ts';
import { tellEffect } from '../output/pending-changes.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  details: 'Compared with the workspace as it is now.',
  arguments: { '<name>': 'the branch' },
  options: { workspace, stat: flag('only the files, with the number of their lines'), json },
  examples: [
    ['synapse branch diff fix-login', 'as diffs'],
    ['synapse branch diff fix-login --stat', 'which files'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    await using hands = await openHands({ workspace: options.workspace }, context);
    const effect = await hands.showBranch(words.name, { signal });
    if (options.json) printJson(out, effect);
    else if (options.stat) out.write(diffStat(effect.changes));
    else tellEffect(out, effect);
    if (!options.json && effect.changes.length === 0) err.write('Nothing differs.\n', 'dim');
    return 0;
  },
});
