import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { diffStat } from '../output/diff-stat.ts';
import { tellConflicts } from '../output/branch-conflicts.ts';
import { tellEffect } from '../output/pending-changes.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  details: 'Compared with the workspace as it is now. With another branch: what would have to change in the first to get the second.',
  arguments: { '<name>': 'the branch', '[other]': 'another branch (default: the workspace)' },
  options: { workspace, stat: flag('only the files, with the number of their lines'), json },
  examples: [
    ['synapse branch diff fix-login', 'as diffs'],
    ['synapse branch diff fix-login --stat', 'which files'],
    ['synapse branch diff first second', 'two attempts'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    await using hands = await openHands({ workspace: options.workspace }, context);
    const effect = await (words.other === undefined
      ? hands.showBranch(words.name, { signal })
      : hands.compareBranches(words.name, words.other, { signal }));
    if (options.json) printJson(out, effect);
    else if (options.stat) out.write(diffStat(effect.changes));
    else {
      tellEffect(out, effect);
      tellConflicts(out, effect, words.name);
    }
    if (!options.json && effect.changes.length === 0) err.write('Nothing differs.\n', 'dim');
    return 0;
  },
});
