import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConflictChoice } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { defineCommand } from '../command/command.ts';
import { text } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { tellConflicts, tellVersions } from '../output/branch-conflicts.ts';
import { printJson } from '../output/print-json.ts';
import { exitCode, tellError } from '../output/report-error.ts';

export const command = defineCommand({
  details: 'A choice changes nothing by itself. It is taken when the branch is applied, if neither version is changed before.',
  arguments: { '<name>': 'the branch', '[path]': 'shows the versions of a conflict, or resolves it (default: lists the conflicts)' },
  options: {
    workspace,
    take: text('<branch|workspace>', 'the whole version that counts'),
    places: text(
      '<sides>',
      'branch, workspace or both at each place that both changed, separated by commas, or one for all; the other lines are merged',
    ),
    file: text('<path>', 'a file with what both sides meant'),
    json,
  },
  examples: [
    ['synapse branch resolve fix-login', 'what both sides changed'],
    ['synapse branch resolve fix-login src/login.ts --take branch', 'the version of the branch'],
    ['synapse branch resolve fix-login src/login.ts --places branch,both', 'the lines of both, and a side where both changed the same'],
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
    if (options.take === undefined && options.file === undefined && options.places === undefined) {
      const shown = await hands.showConflict(words.name, words.path, { signal });
      if (options.json) printJson(out, shown);
      else tellVersions(out, err, shown);
      return 0;
    }
    const result = await hands.resolveBranch(words.name, words.path, choiceOf(options), { signal });
    if (options.json) printJson(out, result);
    else if (result.ok) err.write(`${result.output}\nTo apply it: synapse branch apply ${words.name}\n`);
    else tellError(err, result.error);
    return exitCode(result);
  },
});

const Places = z.array(z.enum(['branch', 'workspace', 'both']));

function choiceOf({ take, places, file }: Readonly<Record<'take' | 'places' | 'file', string | undefined>>): ConflictChoice {
  if ([take, places, file].filter((given) => given !== undefined).length === 1) {
    if (file !== undefined) return { content: readFileSync(resolve(file)) };
    if (take === 'branch' || take === 'workspace') return take;
    const sides = Places.safeParse(places?.split(',').map((side) => side.trim()));
    const [first] = sides.data ?? [];
    if (sides.success && first !== undefined) return { places: sides.data.length === 1 ? first : sides.data };
  }
  throw new SynapseError('invalid_arguments', 'Say which version counts.', {
    hint: 'Use one of --take branch, --take workspace, --places branch,workspace,both (one for each place), and --file merged.txt.',
  });
}
