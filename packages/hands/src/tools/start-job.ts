import type { Job } from '../jobs/job.ts';
import { readOutput } from '../jobs/read-output.ts';
import { endingText } from '../jobs/job-state.ts';
import { terminalCommand } from '../jobs/terminal-command.ts';
import { newOutput } from '../jobs/wait-for.ts';
import { SHELL_ARGUMENTS } from '../process/command-shell.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { quarantineNotes, shownFiles } from './command-note.ts';

/** How long to wait for the first output of a job, in milliseconds. It is shown at once. */
const FIRST_OUTPUT = { since: 0, timeoutMs: 300, settleMs: 60 };

/** A command to start as a job. */
interface JobRequest {
  readonly command: string;
  readonly cwd: string;
  readonly pty: boolean;
  readonly timeout_ms?: number | undefined;
}

/** The values about the end of a command that still runs. */
export const noEnding = () => ({ exit_code: null, signal: null, timed_out: false, left_running: 0, quarantined: [] });

/** Starts the command as a job, and answers with its first output. */
export async function startJob({ command, cwd, pty, timeout_ms: timeoutMs }: JobRequest, ctx: ToolContext) {
  const startedAt = performance.now();
  ctx.jobs.assertPossible();
  // A job may wait for its turn, but a missing folder is reported at once.
  ctx.workspace.openDirectory(cwd)[Symbol.dispose]();
  const { argv, environment = {} } = pty ? terminalCommand(ctx.shell, command) : { argv: [...SHELL_ARGUMENTS[ctx.shell], command] as const };
  const job = ctx.jobs.start({ command, folder: cwd, argv, environment, cwd: () => ctx.workspace.openDirectory(cwd), terminal: pty, timeoutMs });
  await newOutput(job, FIRST_OUTPUT);
  if (job.failure !== undefined && job.state.status === 'ended' && job.state.ending.how === 'failed') throw job.failure;
  const { text, cursor } = readOutput(job, { maxBytes: ctx.limits.outputBytes });
  job.cursor = cursor;
  const { outcome } = job;
  const data = {
    ...noEnding(),
    duration_ms: performance.now() - startedAt,
    stdout: '',
    stderr: '',
    output: text,
    ...(outcome === undefined
      ? { job: { id: job.id, cursor } }
      : { exit_code: outcome.exitCode, signal: outcome.signal, quarantined: shownFiles(outcome.quarantined), job: null }),
  };
  return { data, content: text, note: jobNote(job, text), ...(job.sandbox === undefined ? {} : { sandbox: job.sandbox }) };
}

function jobNote(job: Job, said: string): string {
  const { state } = job;
  if (state.status === 'ended')
    return [endingText(state.ending), said === '' ? 'no output' : undefined, ...quarantineNotes(job.quarantined), ...(job.outcome?.hints ?? [])]
      .filter((part) => part !== undefined)
      .join(' · ');
  return `${job.id} runs in the background · the tool job reads its output, waits for it, writes to it and stops it`;
}
