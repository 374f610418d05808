import type { ShownBranch, ShownEffect } from '@synapse/hands';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import type { Output } from '../output/output.ts';
import { numbered } from '../branch/choose-hunks.ts';
import { openHands } from '../hands/open-hands.ts';
import { diffStat } from '../output/diff-stat.ts';
import { tellConflicts } from '../output/branch-conflicts.ts';
import { tellEffect } from '../output/pending-changes.ts';
import { printJson } from '../output/print-json.ts';

function tellRest(err: Output, effect: ShownEffect & Partial<Pick<ShownBranch, 'comparedWith' | 'held'>>): void {
  const { comparedWith = null, held = [] } = effect;
  if (comparedWith !== null) err.write(`Compared with ${comparedWith}, which it is based on: that one is applied first.\n`, 'dim');
  if (effect.changes.length + (effect.repositories?.length ?? 0) + held.length === 0) err.write('Nothing differs.\n', 'dim');
}

export const command = defineCommand({
  details:
    'Compared with the workspace as it is now, or with the branch that it is based on, as long as that has changes. With another branch: what would ' +
    'have to change in the first to get the second. With paths: only these, with numbers to apply them by hunk. A path that is also the name of a ' +
    'branch is written ./path.',
  arguments: { '<name>': 'the branch', '[other...]': 'another branch, or files and folders (default: all that the branch changes)' },
  options: { workspace, stat: flag('only the files, with the number of their lines'), json },
  examples: [
    ['synapse branch diff fix-login', 'as diffs'],
    ['synapse branch diff fix-login --stat', 'which files'],
    ['synapse branch diff fix-login src/login.ts', 'one file, with numbers'],
    ['synapse branch diff first second', 'two attempts'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    await using hands = await openHands({ workspace: options.workspace }, context);
    const names = hands.branches().map(({ name }) => name);
    const [other, ...more] = words.other;
    const isOfPaths = other !== undefined && (more.length > 0 || !names.includes(other));
    const effect = await (other === undefined || isOfPaths
      ? hands.showBranch(words.name, { signal, ...(isOfPaths ? { paths: words.other } : {}) }).catch(neitherOf(words.other, names))
      : hands.compareBranches(words.name, other, { signal }));
    if (options.json) printJson(out, effect);
    else if (options.stat) out.write(diffStat(effect));
    else {
      tellEffect(out, isOfPaths ? numbered(effect) : effect);
      tellConflicts(out, effect, words.name);
    }
    if (!options.json) tellRest(err, effect);
    return 0;
  },
});

/** Says that a word that is no path which the branch changes is no branch either. */
function neitherOf([word, ...more]: readonly string[], names: readonly string[]): (error: unknown) => never {
  return (error) => {
    if (!isSynapseError(error) || error.code !== 'not_found' || word === undefined || more.length > 0 || word.includes('/')) throw error;
    throw new SynapseError('not_found', `${error.message.replace(/\.$/u, '')}, and no branch has this name.`, {
      hint: `The branches are ${names.slice(0, 20).join(', ')}.`,
    });
  };
}
