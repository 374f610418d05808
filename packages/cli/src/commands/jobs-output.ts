import { defaultStateFolder, WorkspaceJobs } from '@synapse/hands/internal';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

export const command = defineCommand({
  arguments: { '<id>': 'as `synapse jobs` shows it, or its beginning' },
  details: 'The newest 32 MB are kept. The output of a job in a terminal includes control characters.',
  options: { workspace, branch, json },
  examples: [['synapse jobs output job-1f0c2a9b', 'up to now']],
  async run({ arguments: { id: given }, options, out }) {
    const jobs = new WorkspaceJobs(defaultStateFolder(), workspaceRoot(options.workspace));
    const id = jobs.named(given);
    const job = jobs.get(id);
    if (options.json) printJson(out, { job, output: [...jobs.output(id)].join('') });
    else for (const piece of jobs.output(id)) out.write(piece);
    return 0;
  },
});
