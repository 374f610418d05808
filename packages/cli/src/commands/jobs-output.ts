import { defaultStateFolder, WorkspaceJobs } from '@synapse/hands';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { printJson } from '../print-json.ts';
import { workspaceRoot } from '../workspace-root.ts';

export const command = defineCommand({
  arguments: { '<id>': 'as `synapse jobs` shows it' },
  details: 'The newest 32 MB are kept. Of a job in a terminal, its control characters are part of it.',
  options: { workspace, json },
  examples: [['synapse jobs output job-1f0c2a9b', 'up to now']],
  async run({ arguments: { id }, options, out }) {
    const jobs = new WorkspaceJobs(defaultStateFolder(), workspaceRoot(options.workspace));
    const job = jobs.get(id);
    if (options.json) printJson(out, { job, output: [...jobs.output(id)].join('') });
    else for (const piece of jobs.output(id)) out.write(piece);
    return 0;
  },
});
