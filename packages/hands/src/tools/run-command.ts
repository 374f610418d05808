import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { Job } from '../jobs/job.ts';
import { readOutput } from '../jobs/read-output.ts';
import { endingText } from '../jobs/job-state.ts';
import { terminalCommand } from '../jobs/terminal-command.ts';
import { newOutput } from '../jobs/wait-for.ts';
import type { OutputStream, ProcessOutcome, QuarantinedFile, RunningTree } from '../process/processes.ts';
import { ProgressFeed } from '../process/progress-feed.ts';
import { endsWithPrompt } from '../process/prompt-line.ts';
import { size } from '../text/amounts.ts';
import type { ToolContext } from '../tool-context.ts';
import { defineTool, type ToolOutput } from '../tool.ts';
import { leftBehindNotes, quarantineNotes, seconds } from './command-note.ts';

/** Linux: MAX_ARG_STRLEN is 128 KiB with the byte that ends the string; a longer command cannot be started. */
const MAX_COMMAND_BYTES = 128 * 1024 - 1;
const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 3_600_000;
/** Nothing came for so long, in milliseconds, or for half of the time: then the program may wait for an answer. */
const SILENCE_MS = 5_000;
/** A job may take so long to start: the command before it may hold its place. */
const START_MS = 30_000;
/** What a job says in so many milliseconds is shown at once. */
const FIRST_OUTPUT = { since: 0, timeoutMs: 300, settleMs: 60 };
const SUMMARY_CHARACTERS = 60;

const input = z.strictObject({
  command: z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => Buffer.byteLength(text) <= MAX_COMMAND_BYTES, 'must be shorter than 128 KiB; write long text to a file')
    .describe('Shell command line'),
  cwd: z.string().default('.').describe('Folder to run in, relative to the workspace'),
  live: z
    .boolean()
    .default(false)
    .describe('Write to the workspace at once, for what other programs must see while it runs. Default: on a copy, applied when it ends'),
  timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS).optional().describe('Milliseconds until it is ended (default: 120000; background: none)'),
  background: z.boolean().default(false).describe('Return at once and let it run as a job: servers, watchers, REPLs'),
  yield_ms: z.int().min(0).max(MAX_TIMEOUT_MS).default(30_000).describe('Milliseconds until a running command becomes a job; 0: never'),
  pty: z.boolean().default(false).describe('With background: run in a terminal'),
});

const output = z.strictObject({
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  timed_out: z.boolean(),
  duration_ms: z.number(),
  stdout: z.string(),
  stderr: z.string(),
  output: z.string(),
  left_running: z.int(),
  /** Files that another program would have executed, taken away after the command. */
  quarantined: z.array(z.strictObject({ path: z.string(), reason: z.string(), action: z.enum(['moved', 'deleted', 'reported', 'found']) })),
  /** The job that it has become, where it still runs; `cursor` is where its output goes on. */
  job: z.strictObject({ id: z.string(), cursor: z.int() }).nullable(),
});

type Input = z.output<typeof input>;
type Data = z.output<typeof output>;

function ending({ exit_code: code, signal, timed_out: timedOut, job }: Data): string {
  if (job !== null) return `${job.id} runs`;
  if (timedOut) return 'timed out';
  return signal === null ? `exit code ${code}` : `ended by ${signal}`;
}

/** What is known of how a command ends while it runs. */
const noEnding = () => ({ exit_code: null, signal: null, timed_out: false, left_running: 0, quarantined: [] });

/** Of these files, what an answer tells. */
const listed = (files: readonly QuarantinedFile[] = []) => files.map(({ path, reason, action }) => ({ path, reason, action }));

/** Starts it as a job, and answers with what it says at first. */
async function startJob({ command, cwd, pty, timeout_ms: timeoutMs }: Input, ctx: ToolContext): Promise<ToolOutput<Data>> {
  const startedAt = performance.now();
  ctx.jobs.assertPossible();
  // A job may have to wait for its turn; a folder that is not there is told at once.
  ctx.workspace.openDirectory(cwd)[Symbol.dispose]();
  const { argv, environment = {} } = pty ? terminalCommand(command) : { argv: ['/bin/sh', '-c', command] as [string, ...string[]] };
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
      : { exit_code: outcome.exitCode, signal: outcome.signal, quarantined: listed(outcome.quarantined), job: null }),
  };
  return { data, content: text, note: jobNote(job, data), ...(job.sandbox === undefined ? {} : { sandbox: job.sandbox }) };
}

function jobNote(job: Job, { output: said }: Pick<Data, 'output'>): string {
  const { state } = job;
  if (state.status === 'ended')
    return [said === '' ? 'no output' : undefined, endingText(state.ending), ...quarantineNotes(job.quarantined)]
      .filter((part) => part !== undefined)
      .join(' · ');
  return `${job.id} runs in the background · the tool job reads its output, waits for it, writes to it and stops it`;
}

/** What is told of a command that goes on although its call has ended. */
function yieldNote({ id }: Job, afterMs: number): string {
  return `it still runs after ${seconds(afterMs)} and goes on as ${id}: the tool job waits for it and reads its output · start servers with "background"`;
}

/** Joins a signal to a controller; disposing it ends that. */
function follow(signal: AbortSignal, controller: AbortController): Disposable {
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', abort) };
}

/** Whether something has settled before the time is over. */
async function settlesWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const waiting = new AbortController();
  const late = delay(milliseconds, false, { signal: waiting.signal }).catch(() => true);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}

/** Runs it in the call; where it takes longer than it may, it goes on as a job. */
async function runInCall(
  { command, cwd, timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS, yield_ms: yieldMs }: Input,
  ctx: ToolContext,
): Promise<ToolOutput<Data>> {
  using both = ctx.collectOutput({ terminal: true });
  using stdout = ctx.collectOutput({ terminal: true, spill: false });
  using stderr = ctx.collectOutput({ terminal: true, spill: false });
  const separate = { stdout, stderr };
  using feed = new ProgressFeed((progress) => ctx.progress(progress));
  const startedAt = performance.now();
  let lastOutputAt = startedAt;
  let tree: RunningTree | undefined;
  let job: Job | undefined;
  const stopping = new AbortController();
  using callSignal = follow(ctx.signal, stopping);
  const { session } = ctx.jobs;
  const run = ctx.processes.run({
    argv: ['/bin/sh', '-c', command],
    cwd: () => ctx.workspace.openDirectory(cwd),
    hardened: true,
    countsLeft: true,
    ...(session === undefined ? {} : { network: { session } }),
    signal: stopping.signal,
    onStart(running) {
      tree = running;
      job?.started(running);
    },
    onOutput(stream: OutputStream, chunk: Buffer) {
      if (job !== undefined) return job.write(chunk);
      lastOutputAt = performance.now();
      both.write(chunk);
      feed.add(stream, separate[stream].write(chunk));
    },
  });
  const mayYield = session !== undefined && yieldMs > 0 && yieldMs < timeoutMs;
  if (mayYield && !(await settlesWithin(run, yieldMs)) && !stopping.signal.aborted) {
    const left = Math.max(1, timeoutMs - (performance.now() - startedAt));
    job = ctx.jobs.adopt({ command, folder: cwd, stopping, run, tree, replay: (take) => both.replay(take), timeoutMs: left });
  }
  if (job !== undefined) {
    callSignal[Symbol.dispose]();
    job.cursor = job.log.end;
    const { text, truncation } = both.finish('ends');
    const after = performance.now() - startedAt;
    const ends = { stdout: stdout.finish('ends').text, stderr: stderr.finish('ends').text };
    const data = { ...noEnding(), duration_ms: after, ...ends, output: text, job: { id: job.id, cursor: job.cursor } };
    return { data, content: text, note: yieldNote(job, after), ...(truncation === undefined ? {} : { truncation }) };
  }
  const outcome = await run;
  const { text, truncation } = both.finish('ends');
  const data = {
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    timed_out: outcome.aborted,
    duration_ms: outcome.durationMs,
    stdout: stdout.finish('ends').text,
    stderr: stderr.finish('ends').text,
    output: text,
    left_running: outcome.leftRunning,
    quarantined: listed(outcome.quarantined),
    job: null,
  };
  const silent = performance.now() - lastOutputAt >= Math.min(SILENCE_MS, timeoutMs / 2);
  const empty = both.bytes === 0 ? 'no output' : text.trim() === '' ? `nothing to show in ${size(both.bytes)} of output` : undefined;
  return {
    data,
    content: text,
    note: endNote(outcome, ending(data), empty, outcome.aborted && silent && endsWithPrompt(text)),
    ...(truncation === undefined ? {} : { truncation }),
    sandbox: outcome.sandbox,
  };
}

/** The line that tells how it went. */
function endNote(outcome: ProcessOutcome, how: string, empty: string | undefined, mayWait: boolean): string {
  return [
    ...(empty === undefined ? [] : [empty]),
    how,
    seconds(outcome.durationMs),
    ...leftBehindNotes(outcome),
    ...quarantineNotes(outcome.quarantined ?? []),
    ...(mayWait ? ['it may have waited for input, which it cannot get: pass the answer as an argument or a file'] : []),
  ].join(' · ');
}

export const runCommand = defineTool({
  name: 'run_command',
  title: 'Run a command',
  description:
    'Run a shell command with /bin/sh in the workspace. It gets no input and no terminal, and what it leaves in the background ends with it, unless background is set. Output is both streams in order of arrival; add 2>&1 where the exact order matters.',
  effects: 'exec',
  destructive: true,
  input,
  output,
  runs: { live: ({ live, background }) => (background ? 'a job runs in the background' : live ? 'live was asked for' : undefined) },
  aliases: { fields: { cmd: 'command' } },
  otherNames: ['bash', 'sh', 'shell', 'exec', 'terminal', 'execute_command', 'run_shell_command', 'run_terminal_cmd'],
  permission: ({ command }) => [{ action: 'exec', resource: command }],
  timeoutMs: ({ background, timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS }) => (background ? START_MS : timeoutMs),
  verbatim: true,
  keep: 'ends',
  summarize({ command }, data) {
    const line = command.trim().replaceAll(/[\s\p{C}]+/gu, ' ');
    const short = line.length > SUMMARY_CHARACTERS ? `${line.slice(0, SUMMARY_CHARACTERS).toWellFormed()}…` : line;
    return `run_command(${short}) → ${ending(data)}, ${seconds(data.duration_ms)}`;
  },
  completion: (data) => (data.timed_out ? 'timeout' : data.exit_code === 0 || data.job !== null ? 'ok' : 'failed'),
  execute: (given, ctx) => (given.background ? startJob(given, ctx) : runInCall(given, ctx)),
});
