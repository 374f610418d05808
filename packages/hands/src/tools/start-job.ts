import type { Job } from '../jobs/job.ts';
import { readOutput } from '../jobs/read-output.ts';
import { endingText } from '../jobs/job-state.ts';
import { terminalCommand } from '../jobs/terminal-command.ts';
import { linePattern } from '../jobs/line-pattern.ts';
import { newOutput, waitFor, type WaitEnd } from '../jobs/wait-for.ts';
import { SHELL_ARGUMENTS } from '../process/command-shell.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { lostNotes, quarantineNotes, seconds, shownFiles } from './command-note.ts';

/** How long to wait for the first output of a job, in milliseconds. It is shown at once. */
const FIRST_OUTPUT = { since: 0, timeoutMs: 300, settleMs: 60 };

/** A command to start as a job. */
interface JobRequest {
  readonly command: string;
  readonly cwd: string;
  readonly pty: boolean;
  readonly timeout_ms?: number | undefined;
  /** What to wait for before the answer: a TCP port on which it listens, or a line of its output. */
  readonly wait_port?: number | undefined;
  readonly wait_pattern?: string | undefined;
  /** Milliseconds of that wait. */
  readonly yield_ms: number;
}

/** Waits for what was asked for, or briefly for the first output. */
async function waitForStart(
  job: Job,
  { wait_port: port, wait_pattern: source, yield_ms: timeoutMs }: JobRequest,
  signal: AbortSignal,
): Promise<WaitEnd | undefined> {
  if (port === undefined && source === undefined) {
    await newOutput(job, FIRST_OUTPUT);
    return undefined;
  }
  const pattern = source === undefined ? undefined : linePattern('wait_pattern', source);
  return await waitFor(job, { pattern, port, timeoutMs }, signal);
}

/** The values about the end of a command that still runs. */
export const noEnding = () => ({ exit_code: null, signal: null, timed_out: false, left_running: 0, lost: [] as string[], quarantined: [] });

/** Starts the command as a job, and answers with its first output. */
export async function startJob(request: JobRequest, ctx: ToolContext) {
  const { command, cwd, pty, timeout_ms: timeoutMs } = request;
  // Refused before anything runs.
  if (request.wait_pattern !== undefined) linePattern('wait_pattern', request.wait_pattern);
  const startedAt = performance.now();
  ctx.jobs.assertPossible();
  // A job may wait for its turn, but a missing folder is reported at once.
  ctx.workspace.openDirectory(cwd)[Symbol.dispose]();
  const { argv, environment = {} } = pty ? terminalCommand(ctx.shell, command) : { argv: [...SHELL_ARGUMENTS[ctx.shell], command] as const };
  const job = ctx.jobs.start({ command, folder: cwd, argv, environment, cwd: () => ctx.workspace.openDirectory(cwd), terminal: pty, timeoutMs });
  const met = await waitForStart(job, request, ctx.signal);
  if (job.failure !== undefined && job.state.status === 'ended' && job.state.ending.how === 'failed') throw job.failure;
  const { text, cursor } = readOutput(job, { maxBytes: ctx.limits.outputBytes });
  job.cursor = cursor;
  if (met !== undefined) job.searched = cursor;
  const { outcome } = job;
  const data = {
    ...noEnding(),
    duration_ms: performance.now() - startedAt,
    stdout: '',
    stderr: '',
    output: text,
    ...(outcome === undefined
      ? { job: { id: job.id, cursor, ...metOf(met) } }
      : {
          exit_code: outcome.exitCode,
          signal: outcome.signal,
          lost: [...(outcome.lost ?? [])],
          quarantined: shownFiles(outcome.quarantined),
          job: null,
        }),
  };
  return { data, content: text, note: jobNote(job, text, waitNote(request, met)), ...(job.sandbox === undefined ? {} : { sandbox: job.sandbox }) };
}

function metOf(met: WaitEnd | undefined) {
  if (met === undefined || met === 'exit' || met === 'idle') return {};
  return { met: met === 'shown' ? ('pattern' as const) : met };
}

/** How the wait for the start ended; undefined if nothing was waited for. */
function waitNote({ wait_port: port, wait_pattern: pattern, yield_ms: waitedMs }: JobRequest, met: WaitEnd | undefined): string | undefined {
  if (met === 'port') return `it listens on port ${port}`;
  if (met === 'pattern' || met === 'shown') return 'a line matched wait_pattern';
  if (met === 'input') return 'it waits for input';
  if (met !== 'timeout') return undefined;
  const awaited = [
    ...(port === undefined ? [] : [`it does not listen on port ${port}`]),
    ...(pattern === undefined ? [] : ['no line matched wait_pattern']),
  ];
  return `${awaited.join(' and ')} after ${seconds(waitedMs)}`;
}

function jobNote(job: Job, said: string, waited: string | undefined): string {
  const { state } = job;
  if (state.status === 'ended')
    return [
      endingText(state.ending),
      ...lostNotes(job.lost),
      said === '' ? 'no output' : undefined,
      ...quarantineNotes(job.quarantined),
      ...(job.outcome?.hints ?? []),
    ]
      .filter((part) => part !== undefined)
      .join(' · ');
  return `${job.id} runs in the background${waited === undefined ? '' : ` · ${waited}`}`;
}
