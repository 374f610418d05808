import type { ShownBranch } from '@synapse/hands';
import { BranchStore, defaultStateFolder, outsideHeld } from '@synapse/hands/internal';
import { ERROR_CODES } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { confirmOrFail } from '../input/confirm-or-fail.ts';
import { parsed } from '../command/option.ts';
import { chooseHunks, parseHunks } from '../branch/choose-hunks.ts';
import { openHands } from '../hands/open-hands.ts';
import { tellConflicts } from '../output/branch-conflicts.ts';
import { tellEffect } from '../output/pending-changes.ts';
import { printJson } from '../output/print-json.ts';
import { appliedCode, tellApplied } from '../output/tell-applied.ts';

const hunks = parsed('<numbers>', 'only these hunks, as `synapse branch diff <name> <path>` numbers them; `ask` asks about each', {
  expects: 'numbers, such as 1,3, or ask',
  parse: parseHunks,
});

/** What will be applied: what both sides changed stays in the branch. */
function withoutConflicts(effect: ShownBranch): ShownBranch {
  const isConflict = (path: string): boolean => effect.conflicts.some((one) => path === one.path || path.startsWith(`${one.path}/`));
  // The sentences count the conflicts too.
  const isCounted = outsideHeld(effect.conflicts, effect.held).length > 0;
  return { ...effect, ...(isCounted ? { meaning: [] } : {}), changes: effect.changes.filter(({ path }) => !isConflict(path)) };
}

const isNothing = ({ changes, more, repositories = [], folded = [], held }: ShownBranch): boolean =>
  changes.length + more + repositories.length + folded.length + held.flatMap(({ commits }) => commits).length === 0;

export const command = defineCommand({
  details:
    'Shows the changes as diffs, and asks. The current rules apply. A text that both sides changed is merged by lines; where both changed the same lines, it stays in the branch, and the exit code is 1.',
  arguments: { '<name>': 'the branch', '[paths...]': 'only these files and folders (default: all)' },
  options: { workspace, hunks, yes, json },
  examples: [
    ['synapse branch apply fix-login', 'after a look at it'],
    ['synapse branch apply fix-login src/login.ts --yes', 'one file, without being asked'],
    ['synapse branch apply fix-login src/login.ts --hunks 1,3', 'a part of it'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    await using hands = await openHands({ workspace: options.workspace }, context);
    // Before anything is shown: a yes would change nothing.
    new BranchStore(defaultStateFolder(), hands.workspace).assertFirst(words.name);
    const paths = words.paths.length === 0 ? {} : { paths: words.paths };
    const part =
      options.hunks === undefined
        ? undefined
        : await chooseHunks(options.hunks, words.paths, await hands.showBranch(words.name, { signal, ...paths }), context);
    if (options.hunks !== undefined && part === undefined) {
      err.write('No hunk was chosen, and nothing was applied.\n', 'dim');
      return 0;
    }
    const chosen = { ...paths, ...(part === undefined ? {} : { hunks: [part] }) };
    const effect = await hands.showBranch(words.name, { signal, ...chosen });
    const applied = withoutConflicts(effect);
    if (!options.json) {
      tellEffect(err, applied);
      tellConflicts(err, effect, words.name);
      if (isNothing(applied) && effect.conflicts.length > 0) {
        err.write('Nothing was applied.\n');
        return ERROR_CODES.conflict.exitCode;
      }
    } else if (!options.yes) printJson(out, { effect, result: null });
    const no = await confirmOrFail('Apply this?', 'nothing was applied', context);
    if (no !== undefined) return no;
    // Exactly what was shown: something else may work in the branch meanwhile.
    const result = await hands.applyBranch(words.name, { signal, ...chosen, fingerprint: effect.fingerprint });
    if (options.json) printJson(out, { effect, result });
    else tellApplied(err, result);
    return appliedCode(result);
  },
});
