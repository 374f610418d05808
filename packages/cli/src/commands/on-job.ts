import { defaultStateFolder, WorkspaceJobs, type JobRequest, type WorkspaceJob } from '@synapse/hands/internal';
import { branch } from '../command/branch-option.ts';
import { defineCommand, type Command, type CommandHelp } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

interface JobRequestCommand {
  readonly details: string;
  readonly examples: CommandHelp['examples'];
  readonly request: JobRequest;
  readonly done: (job: WorkspaceJob) => string;
}

/** Defines a command that sends a request to the process that runs a job. */
export function jobRequestCommand({ request, done, ...help }: JobRequestCommand): Command {
  return defineCommand({
    ...help,
    arguments: { '<id>': 'as `synapse jobs` shows it, or its beginning' },
    options: { workspace, branch, json },
    async run({ arguments: { id }, options, out, err, signal }) {
      const jobs = new WorkspaceJobs(defaultStateFolder(), workspaceRoot(options.workspace));
      const job = await jobs.request(jobs.named(id), request, signal);
      if (options.json) printJson(out, { job });
      else err.write(`${done(job)}\n`);
      return 0;
    },
  });
}
