import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { trackedRoot } from '../hands/workspace-root.ts';
import { columns } from '../output/columns.ts';
import { printJson } from '../output/print-json.ts';
import { branchFacts, count, defaultStateFolder, type BranchFacts } from '@synapse/hands/internal';

function row({ name, from, created, changes, jobs, in_use: inUse }: BranchFacts): string[] {
  const use = [...(inUse ? ['in use'] : []), ...(jobs.length === 0 ? [] : [count(jobs.length, 'job')])];
  return [name, from === null ? '' : `from ${from}`, created.slice(0, 16).replace('T', ' '), count(changes, 'change'), use.join(', ')];
}

export const command = defineCommand({
  options: { workspace, json },
  examples: [
    ['synapse branch', 'the branches of this project'],
    ['synapse branch new fix-login', 'make one'],
  ],
  run({ options, out, err }) {
    const listed = branchFacts(defaultStateFolder(), trackedRoot(options.workspace, err));
    if (options.json) printJson(out, listed);
    else out.write(columns(listed.map(row)));
    if (!options.json && listed.length === 0) err.write('No branches. To make one: synapse branch new <name>\n', 'dim');
    return Promise.resolve(0);
  },
});
