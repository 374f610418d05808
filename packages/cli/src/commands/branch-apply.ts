import { defineCommand } from '../command/command.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { confirmOrFail } from '../input/confirm-or-fail.ts';
import { openHands } from '../hands/open-hands.ts';
import { tellConflicts } from '../output/branch-conflicts.ts';
import { tellEffect } from '../output/pending-changes.ts';
import { printJson } from '../output/print-json.ts';
import { exitCode, tellError } from '../output/report-error.ts';

export const command = defineCommand({
  details:
    'Shows the changes as diffs, and asks. The current rules apply. A text that both sides changed is merged by lines; where both changed the same lines, it stays in the branch.',
  arguments: { '<name>': 'the branch', '[paths...]': 'only these files and folders (default: all)' },
  options: { workspace, yes, json },
  examples: [
    ['synapse branch apply fix-login', 'after a look at it'],
    ['synapse branch apply fix-login src/login.ts --yes', 'one file, without being asked'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    await using hands = await openHands({ workspace: options.workspace }, context);
    const chosen = words.paths.length === 0 ? {} : { paths: words.paths };
    const effect = await hands.showBranch(words.name, { signal, ...chosen });
    if (!options.json) {
      tellEffect(err, effect);
      tellConflicts(err, effect, words.name);
    } else if (!options.yes) printJson(out, { effect, result: null });
    const no = await confirmOrFail('Apply this?', 'nothing was applied', context);
    if (no !== undefined) return no;
    const result = await hands.applyBranch(words.name, { signal, ...chosen });
    if (options.json) printJson(out, { effect, result });
    else if (result.ok) err.write(`${result.output}\nTo take this back: synapse undo ${result.meta.callId}\n`);
    else tellError(err, result.error);
    return exitCode(result);
  },
});
