import * as z from 'zod';
import { once, follow, settlesWithin } from '../events/timing.ts';
import type { Job } from '../jobs/job.ts';
import type { OutputCollector } from '../output/output-collector.ts';
import { MAY_NEED_TERMINAL, needsTerminal } from '../policy/needs-terminal.ts';
import { SHELL_ARGUMENTS } from '../process/command-shell.ts';
import type { OutputStream, ProcessOutcome, RunningTree } from '../process/processes.ts';
import { endsWithPrompt } from '../process/progress-feed.ts';
import { COMMAND_LIMITS } from '../output/limits.ts';
import { size } from '../text/amounts.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { defineTool, type ToolOutput } from '../tool/tool.ts';
import type { CondensedCommand } from './condense-command.ts';
import { COMMAND_ALIASES, COMMAND_NAMES } from './command-names.ts';
import {
  expectationNotes,
  inputNotes,
  leftBehindNotes,
  lostNotes,
  missingNotes,
  NO_INPUT,
  quarantineNotes,
  seconds,
  shownFiles,
  tookNotes,
} from './command-note.ts';
import { refusal, SHORT_LOOK_MS, whyStalled } from './stall-detector.ts';
import { noEnding, startJob } from './start-job.ts';

/** Linux cannot start a longer command: MAX_ARG_STRLEN is 128 KiB including the terminating zero byte. */
const MAX_COMMAND_BYTES = 128 * 1024 - 1;
const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 3_600_000;
/** Milliseconds of silence after which a program may be waiting for an answer; at most half of the time-out. */
const SILENCE_MS = 5_000;
/** Milliseconds for a job to start. The previous command may still hold its place. */
const START_MS = 30_000;
const SUMMARY_CHARACTERS = 60;

const fields = () =>
  z.strictObject({
    command: z
      .string('must be one text, such as "ls -la src"')
      .refine((text) => text.trim() !== '', 'must not be empty')
      .refine((text) => !text.trimStart().startsWith('```'), 'must be the command alone, without ``` around it')
      .refine((text) => !/^\s*\$ /u.test(text), 'must be the command alone, without the prompt $ before it')
      .refine((text) => Buffer.byteLength(text) <= MAX_COMMAND_BYTES, 'must be shorter than 128 KiB; write long text to a file')
      .describe('Shell command line'),
    cwd: z.string().default('.').describe('Folder to run in, relative to the workspace'),
    live: z
      .boolean()
      .default(false)
      .describe('Write to the workspace at once, for what other programs must see while it runs. Default: on a copy, applied when it ends'),
    timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS).optional().describe('Milliseconds until it is ended (default: 120000; background: none)'),
    background: z.boolean().default(false).describe('Return at once and let it run as a job: servers, watchers, REPLs'),
    wait_port: z.int().min(1).max(65_535).optional().describe('Background: return once it listens on this TCP port'),
    wait_pattern: z.string().min(1).optional().describe('Background: return once a line matches this regular expression'),
    yield_ms: z
      .int()
      .min(0)
      .max(MAX_TIMEOUT_MS)
      .default(30_000)
      .describe('Milliseconds until a running command becomes a job, or of wait_port and wait_pattern; 0: never'),
    pty: z.boolean().default(false).describe('With background: run in a terminal'),
  });

type Awaited = Pick<z.output<ReturnType<typeof fields>>, 'wait_port' | 'wait_pattern'>;

/** Whether the answer waits for something of a job. */
const waitsForStart = ({ wait_port: port, wait_pattern: pattern }: Awaited): boolean => port !== undefined || pattern !== undefined;

/** Whether a command runs as a job: what is waited for is the start of one. */
const runsAsJob = (given: Awaited & { readonly background: boolean }): boolean => given.background || waitsForStart(given);

const inputSchema = () =>
  fields().superRefine((given, context) => {
    const { command, pty } = given;
    const program = (runsAsJob(given) && pty) || !MAY_NEED_TERMINAL.test(command) ? undefined : needsTerminal(command);
    if (program === undefined) return;
    const message = `must not start ${program}, which waits for keys of a terminal: change files with edit_file, or run it with background and pty`;
    context.addIssue({ code: 'custom', path: ['command'], message });
  });

const outputSchema = () =>
  z.strictObject({
    exit_code: z.int().nullable(),
    signal: z.string().nullable(),
    timed_out: z.boolean(),
    duration_ms: z.number(),
    stdout: z.string(),
    stderr: z.string(),
    output: z.string(),
    left_running: z.int(),
    /** What it wrote outside the workspace and is gone, relative to the workspace. */
    lost: z.array(z.string()),
    /** Files that another program would have executed, taken away after the command. */
    quarantined: z.array(
      z.strictObject({ path: z.string(), reason: z.string(), detail: z.string(), action: z.enum(['moved', 'deleted', 'reported', 'found']) }),
    ),
    /** The job, if the command still runs. `cursor` is where its output continues, `met` what ended the wait for its start. */
    job: z.strictObject({ id: z.string(), cursor: z.int(), met: z.enum(['pattern', 'port', 'input', 'timeout']).optional() }).nullable(),
  });

type Input = z.output<ReturnType<typeof inputSchema>>;
type Data = z.output<ReturnType<typeof outputSchema>>;

function ending({ exit_code: code, signal, timed_out: timedOut, job }: Data): string {
  if (job !== null) return `${job.id} runs`;
  if (timedOut) return 'timed out';
  return signal === null ? `exit code ${code}` : `ended by ${signal}`;
}

/** Returns the note about a command that continues after its call has ended. */
function yieldNote({ id }: Job, afterMs: number, why: string | undefined): string {
  return [
    `it still runs after ${seconds(afterMs)} and goes on as ${id}: the tool job waits for it, reads its output and stops it`,
    why ?? 'start servers with "background"',
  ].join(' · ');
}

/** How a wait for a command ended: it settled, its time is over, or waiting is pointless, with the reason. */
type Settling = 'settled' | 'late' | { readonly vain: string };

/** Waits until a promise settles, the time is over, or waiting for it is pointless. */
export async function settlesInTime(work: Promise<unknown>, milliseconds: number, why: () => Promise<string | undefined>): Promise<Settling> {
  for (let left = milliseconds; left > 0; left -= SHORT_LOOK_MS) {
    if (await settlesWithin(work, Math.min(left, SHORT_LOOK_MS))) return 'settled';
    const vain = await why();
    if (vain !== undefined) return { vain };
  }
  return 'late';
}

/** The output of a command: both streams in order of arrival, and each apart. */
class CommandOutput implements Disposable {
  readonly both: OutputCollector;
  readonly #separate: Readonly<Record<OutputStream, OutputCollector>>;
  readonly #feed: ReturnType<ToolContext['liveOutput']>;
  /** When it last wrote, as of `performance.now()`. */
  lastAt = performance.now();

  constructor(ctx: ToolContext) {
    this.both = ctx.collectOutput({ terminal: true });
    const apart = { terminal: true, spill: false };
    this.#separate = { stdout: ctx.collectOutput(apart), stderr: ctx.collectOutput(apart) };
    this.#feed = ctx.liveOutput();
  }

  write(stream: OutputStream, chunk: Buffer): void {
    this.lastAt = performance.now();
    this.both.write(chunk);
    this.#feed.add(stream, this.#separate[stream].write(chunk));
  }

  /** Ends the output. Of each stream, both ends are kept. */
  finish() {
    const { text, truncation } = this.both.finish('ends');
    const { stdout, stderr } = this.#separate;
    const texts = { stdout: stdout.finish('ends').text, stderr: stderr.finish('ends').text, output: text };
    return { texts, shown: { content: text, ...(truncation === undefined ? {} : { truncation }) } };
  }

  [Symbol.dispose](): void {
    this.#feed[Symbol.dispose]();
    for (const collector of [this.#separate.stderr, this.#separate.stdout, this.both]) collector[Symbol.dispose]();
  }
}

/** Shorter output is shown as it is, in bytes. */
const MIN_CONDENSED_BYTES = 600;
/** Commands that show files or pick lines: what they print was asked for. */
const SHOWS_LINES = /(?:^|[|;&(]\s*)(?:cat|head|tail|grep|egrep|rg|sed|awk|less|more|diff|jq|git\s+(?:log|show|diff|grep|blame))\b/mu;

/** What to show of the output of test runners and compilers. A caller that cannot come back for the rest gets all of it. */
async function condensed({ command }: Input, { both }: CommandOutput, ctx: ToolContext): Promise<CondensedCommand | undefined> {
  if (both.bytes < MIN_CONDENSED_BYTES || ctx.jobs.session === undefined || SHOWS_LINES.test(command)) return undefined;
  const { condenseCommand } = await import('./condense-command.ts');
  return condenseCommand(both, ctx);
}

/** Runs the command in the call. If it takes too long, it continues as a job. */
async function runInCall(given: Input, ctx: ToolContext): Promise<ToolOutput<Data>> {
  const { command, cwd, timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS, yield_ms: yieldMs } = given;
  using output = new CommandOutput(ctx);
  const startedAt = performance.now();
  let tree: RunningTree | undefined;
  let job: Job | undefined;
  const stopping = new AbortController();
  using callSignal = follow(ctx.signal, stopping);
  const { session } = ctx.jobs;
  const ended = Promise.withResolvers<void>();
  const run = ctx.processes.run({
    argv: [...SHELL_ARGUMENTS[ctx.shell], command],
    cwd: () => ctx.workspace.openDirectory(cwd),
    hardened: true,
    countsLeft: true,
    ...(session === undefined ? {} : { network: { session } }),
    signal: stopping.signal,
    onStart(running) {
      tree = running;
      job?.started(running);
    },
    onEnd: ended.resolve,
    onOutput(stream: OutputStream, chunk: Buffer) {
      if (job === undefined) output.write(stream, chunk);
      else job.write(chunk);
    },
  });
  const mayYield = session !== undefined && yieldMs > 0 && yieldMs < timeoutMs;
  const silentMs = (): number => performance.now() - output.lastAt;
  // Made at the first look: most commands end before.
  const inVain = once(() => whyStalled({ tree: () => tree, silentMs, root: ctx.workspace.root, goesOn: mayYield }));
  // While a person is asked about its changes, it does not run.
  const settling = await settlesInTime(Promise.race([run, ended.promise]), mayYield ? yieldMs : timeoutMs, () => inVain()());
  const vain = typeof settling === 'object' ? settling.vain : undefined;
  const stopped = mayYield ? undefined : vain;
  // A command that cannot become a job would wait for its deadline.
  if (stopped !== undefined) stopping.abort();
  if (mayYield && settling !== 'settled' && !stopping.signal.aborted) {
    const ranMs = performance.now() - startedAt;
    const left = Math.max(1, timeoutMs - ranMs);
    job = ctx.jobs.adopt({ command, folder: cwd, stopping, run, tree, replay: (take) => output.both.replay(take), ranMs, timeoutMs: left });
    if (job !== undefined) {
      callSignal[Symbol.dispose]();
      return yielded(job, output, performance.now() - startedAt, vain ?? refusal(tree));
    }
  }
  const outcome = await run;
  const isWaiting = outcome.aborted && silentMs() >= Math.min(SILENCE_MS, timeoutMs / 2);
  return finished(command, outcome, output, { stopped, isWaiting, short: await condensed(given, output, ctx) });
}

/** The result of a command that continues as a job. */
function yielded(job: Job, output: CommandOutput, ranMs: number, why: string | undefined): ToolOutput<Data> {
  job.cursor = job.log.end;
  const { texts, shown } = output.finish();
  return {
    data: { ...noEnding(), duration_ms: ranMs, ...texts, job: { id: job.id, cursor: job.cursor } },
    ...shown,
    note: yieldNote(job, ranMs, why),
  };
}

interface Ending {
  /** Why it was ended early. */
  readonly stopped: string | undefined;
  /** Whether it was ended while it had been silent for long. */
  readonly isWaiting: boolean;
  /** What to show instead of all output. */
  readonly short: CondensedCommand | undefined;
}

/** The result of a command that ended. */
function finished(command: string, outcome: ProcessOutcome, output: CommandOutput, { stopped, isWaiting, short }: Ending): ToolOutput<Data> {
  const { texts, shown: whole } = output.finish();
  const shown = short === undefined ? whole : { content: short.content, truncation: short.truncation(whole.truncation?.spill) };
  const { exitCode } = outcome;
  const text = whole.content;
  const data = {
    exit_code: exitCode,
    signal: outcome.signal,
    timed_out: outcome.aborted,
    duration_ms: outcome.durationMs,
    ...texts,
    left_running: outcome.leftRunning,
    lost: [...(outcome.lost ?? [])],
    quarantined: shownFiles(outcome.quarantined),
    job: null,
  };
  const { bytes } = output.both;
  // An answer of "exit code 0" alone says it.
  const silent = exitCode === 0 && stopped === undefined ? undefined : 'no output';
  const empty = bytes === 0 ? silent : text.trim() === '' ? `nothing to show in ${size(bytes)} of output` : undefined;
  const note = [
    endNote(outcome, stopped === undefined ? ending(data) : 'ended early', empty, isWaiting && endsWithPrompt(text)),
    ...(stopped === undefined || outcome.hints?.includes(stopped) === true ? [] : [stopped]),
    ...expectationNotes(command, exitCode),
    ...missingNotes(exitCode, text),
    ...inputNotes(exitCode, text),
  ];
  return { data, ...shown, note: note.join(' · '), sandbox: outcome.sandbox };
}

/** Returns the line about how the command ended. */
function endNote(outcome: ProcessOutcome, how: string, empty: string | undefined, mayWait: boolean): string {
  return [
    how,
    ...lostNotes(outcome.lost),
    ...tookNotes(outcome),
    ...(empty === undefined ? [] : [empty]),
    ...leftBehindNotes(outcome),
    ...quarantineNotes(outcome.quarantined ?? []),
    ...(outcome.hints ?? []),
    ...(mayWait ? [`it may have waited for input · ${NO_INPUT}`] : []),
  ].join(' · ');
}

export const runCommand = defineTool({
  name: 'run_command',
  title: 'Run a command',
  description:
    'Run a shell command (bash; sh where there is none) in the workspace. It gets no input, no terminal and by default no network, and what it leaves in the background ends with it, unless background is set. Output is both streams in order of arrival; add 2>&1 where the exact order matters.',
  effects: 'exec',
  destructive: true,
  input: inputSchema,
  output: outputSchema,
  runs: {
    live: (given) => (runsAsJob(given) ? 'a job runs in the background' : given.live ? 'live was asked for' : undefined),
    outlives: runsAsJob,
  },
  aliases: COMMAND_ALIASES,
  otherNames: COMMAND_NAMES,
  permission: ({ command }) => [{ action: 'exec', resource: command }],
  timeoutMs: (given) => (runsAsJob(given) ? START_MS + (waitsForStart(given) ? given.yield_ms : 0) : (given.timeout_ms ?? DEFAULT_TIMEOUT_MS)),
  verbatim: true,
  keep: 'ends',
  limits: COMMAND_LIMITS,
  summarize({ command }, data) {
    const line = command.trim().replaceAll(/[\s\p{C}]+/gu, ' ');
    const short = line.length > SUMMARY_CHARACTERS ? `${line.slice(0, SUMMARY_CHARACTERS).toWellFormed()}…` : line;
    return `run_command(${short}) → ${ending(data)}, ${seconds(data.duration_ms)}`;
  },
  completion: (data) => (data.timed_out ? 'timeout' : (data.exit_code === 0 && data.lost.length === 0) || data.job !== null ? 'ok' : 'failed'),
  execute: (given, ctx) => (runsAsJob(given) ? startJob(given, ctx) : runInCall(given, ctx)),
});
