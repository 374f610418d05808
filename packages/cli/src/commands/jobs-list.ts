import { defaultStateFolder, WorkspaceJobs, type WorkspaceJob } from '@synapse/hands/internal';
import { columns } from '../output/columns.ts';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

function row({ id, started_at: at, status, ending, detached, command }: WorkspaceJob): string[] {
  return [id, at.slice(0, 16).replace('T', ' '), `${ending ?? status}${detached ? ', detached' : ''}`, command];
}

export const command = defineCommand({
  details:
    'Jobs are commands that a call started in the background, or did not wait for. They end with their session unless detached. ' +
    'Ended ones are listed for a day.',
  options: { workspace, branch, json },
  examples: [
    ['synapse jobs', 'those of this project'],
    ['synapse jobs --json', 'for a program'],
  ],
  showsRecords: true,
  async run({ options, out, err }) {
    const jobs = new WorkspaceJobs(defaultStateFolder(), workspaceRoot(options.workspace)).list();
    if (options.json) printJson(out, { jobs });
    else out.write(columns(jobs.map(row)));
    if (jobs.length === 0) err.write('No job ran here.\n', 'dim');
    for (const { id, notes } of jobs) for (const note of notes) err.write(`${id}: ${note}\n`);
    return 0;
  },
});
