import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { text } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { tellConflicts, tellVersions } from '../output/branch-conflicts.ts';
import { printJson } from '../output/print-json.ts';
import { exitCode, tellError } from '../output/report-error.ts';

export const command = defineCommand({
  details:
    'Chooses what counts of a file that the branch and the workspace changed. It is taken when the branch is applied, if neither is changed before.',
  arguments: { '<name>': 'the branch', '[path]': 'shows the versions of a conflict, or resolves it (default: lists the conflicts)' },
  options: {
    workspace,
    take: text('<branch|workspace>', 'the version that counts'),
    file: text('<path>', 'a file with what both sides meant'),
    json,
  },
  examples: [
    ['synapse branch resolve fix-login', 'what both sides changed'],
    ['synapse branch resolve fix-login src/login.ts --take branch', 'the version of the branch'],
    ['synapse branch resolve fix-login src/login.ts > merged.ts', 'all three versions, with marks'],
    ['synapse branch resolve fix-login src/login.ts --file merged.ts', 'a file that you merged by hand'],
  ],
  showsRecords: true,
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    await using hands = await openHands({ workspace: options.workspace }, context);
    if (words.path === undefined) {
      const effect = await hands.showBranch(words.name, { signal });
      if (options.json) printJson(out, effect.conflicts);
      else tellConflicts(out, { ...effect, merged: [] }, words.name);
      return 0;
    }
    if (options.take === undefined && options.file === undefined) {
      const shown = await hands.showConflict(words.name, words.path, { signal });
      if (options.json) printJson(out, shown);
      else tellVersions(out, err, shown);
      return 0;
    }
    const result = await hands.resolveBranch(words.name, words.path, choiceOf(options.take, options.file), { signal });
    if (options.json) printJson(out, result);
    else if (result.ok) err.write(`${result.output}\nTo apply it: synapse branch apply ${words.name}\n`);
    else tellError(err, result.error);
    return exitCode(result);
  },
});

function choiceOf(take: string | undefined, file: string | undefined): 'branch' | 'workspace' | { readonly content: Uint8Array } {
  if (file !== undefined && take === undefined) return { content: readFileSync(resolve(file)) };
  if (file === undefined && (take === 'branch' || take === 'workspace')) return take;
  throw new SynapseError('invalid_arguments', 'Say which version counts.', { hint: 'Use --take branch, --take workspace, or --file merged.txt.' });
}
