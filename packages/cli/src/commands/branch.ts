import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { repairBranches } from '../branch/repair-branches.ts';
import { trackedRoot } from '../hands/workspace-root.ts';
import { columns } from '../output/columns.ts';
import { inLine } from '../output/visible-text.ts';
import { printJson } from '../output/print-json.ts';
import { branchFacts, BranchStore, count, defaultStateFolder, type BranchFacts } from '@synapse/hands/internal';

function row({ name, from, created, changes, jobs, in_use: inUse }: BranchFacts): string[] {
  const use = [...(inUse ? ['in use'] : []), ...jobs.map(({ id, ports }) => (ports.length === 0 ? id : `${id} on port ${ports.join(', ')}`))];
  return [name, from === null ? '' : `from ${from}`, created.slice(0, 16).replace('T', ' '), count(changes, 'change'), use.join(', ')];
}

export const command = defineCommand({
  options: { workspace, json },
  examples: [
    ['synapse branch', 'the branches of this project'],
    ['synapse branch new fix-login', 'make one'],
  ],
  async run({ options, out, err }) {
    const [root, stateFolder] = [trackedRoot(options.workspace, err), defaultStateFolder()];
    await repairBranches(root, err);
    const store = new BranchStore(stateFolder, root);
    const listed = branchFacts(stateFolder, root);
    if (options.json) printJson(out, listed);
    else out.write(columns(listed.map(row)));
    if (!options.json && listed.length === 0) err.write('No branches. To make one: synapse branch new <name>\n', 'dim');
    for (const name of store.damaged())
      err.write(
        `The record of the branch ${inLine(name)} is damaged. What was changed in it is in ${inLine(store.folderOf(name).upper)}\n`,
        'yellow',
      );
    return 0;
  },
});
