import * as z from 'zod';
import type { ProcessOutcome, QuarantinedFile } from '../process/processes.ts';
import { ProgressFeed } from '../process/progress-feed.ts';
import { endsWithPrompt } from '../process/prompt-line.ts';
import { count, size } from '../text/amounts.ts';
import { defineTool } from '../tool.ts';

/** Linux: MAX_ARG_STRLEN is 128 KiB with the byte that ends the string; a longer command cannot be started. */
const MAX_COMMAND_BYTES = 128 * 1024 - 1;
/** Nothing came for so long, in milliseconds, or for half of the time: then the program may wait for an answer. */
const SILENCE_MS = 5_000;
const SUMMARY_CHARACTERS = 60;

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(milliseconds < 9_950 ? 1 : 0)} s`;

function ending({ exit_code: code, signal, timed_out: timedOut }: { exit_code: number | null; signal: string | null; timed_out: boolean }): string {
  if (timedOut) return 'timed out';
  return signal === null ? `exit code ${code}` : `ended by ${signal}`;
}

/** Nobody has to guess where a file went. */
const KEPT = 'a person can look at it and put it back: synapse quarantine';
/** For whom such files are wanted, as `npm init` or an editor's own command makes them. */
const PERMIT = 'where such a file is wanted, a person permits it: --allow protected (CLI, MCP server), allow: ["protected"] (library)';

/** What is left to do once not everything could be looked at. */
const LOCKED = 'not everything that it left could be looked at, so commands are locked until a person has looked and run: synapse quarantine unlock';

const DONE = {
  moved: 'taken away was',
  deleted: 'deleted was',
  reported: 'look at',
  found: 'an earlier command was cut off, so look at',
} as const satisfies Record<QuarantinedFile['action'], string>;

/** The line that tells how it went. */
function note(outcome: ProcessOutcome, how: string, empty: string | undefined, mayWait: boolean): string {
  return [
    ...(empty === undefined ? [] : [empty]),
    how,
    seconds(outcome.durationMs),
    ...(outcome.leftRunning > 0 ? [`${count(outcome.leftRunning, 'process', 'processes')} left in the background ended with it`] : []),
    ...(outcome.survivors > 0 ? [`${count(outcome.survivors, 'process', 'processes')} could not be ended`] : []),
    ...(outcome.quarantined ?? []).map(({ path, reason, action }) => `${DONE[action]} ${path}: ${reason}`),
    ...((outcome.quarantined ?? []).some(({ action }) => action === 'moved') ? [KEPT] : []),
    ...((outcome.quarantined ?? []).some(({ reason, action }) => reason === 'protected' && (action === 'moved' || action === 'deleted'))
      ? [PERMIT]
      : []),
    ...((outcome.quarantined ?? []).some(({ reason }) => reason === 'not-searched') ? [LOCKED] : []),
    ...(mayWait ? ['it may have waited for input, which it cannot get: pass the answer as an argument or a file'] : []),
  ].join(' · ');
}

export const runCommand = defineTool({
  name: 'run_command',
  title: 'Run a command',
  description:
    'Run a shell command with /bin/sh in the workspace. It gets no input and no terminal, and background processes end with it. Output is both streams in order of arrival; add 2>&1 where the exact order matters.',
  effects: 'exec',
  destructive: true,
  input: z.strictObject({
    command: z
      .string()
      .refine((text) => text.trim() !== '', 'must not be empty')
      .refine((text) => Buffer.byteLength(text) <= MAX_COMMAND_BYTES, 'must be shorter than 128 KiB; write long text to a file')
      .describe('Shell command line'),
    cwd: z.string().default('.').describe('Folder to run in, relative to the workspace'),
    timeout_ms: z.int().min(1).max(3_600_000).default(120_000).describe('Milliseconds until it is ended'),
  }),
  output: z.strictObject({
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
  }),
  permission: ({ command }) => [{ action: 'exec', resource: command }],
  timeoutMs: (input) => input.timeout_ms,
  verbatim: true,
  keep: 'ends',
  summarize({ command }, data) {
    const line = command.trim().replaceAll(/[\s\p{C}]+/gu, ' ');
    const short = line.length > SUMMARY_CHARACTERS ? `${line.slice(0, SUMMARY_CHARACTERS).toWellFormed()}…` : line;
    return `run_command(${short}) → ${ending(data)}, ${seconds(data.duration_ms)}`;
  },
  completion: (data) => (data.timed_out ? 'timeout' : data.exit_code === 0 ? 'ok' : 'failed'),
  async execute({ command, cwd, timeout_ms: timeoutMs }, ctx) {
    using both = ctx.collectOutput({ terminal: true });
    using stdout = ctx.collectOutput({ terminal: true, spill: false });
    using stderr = ctx.collectOutput({ terminal: true, spill: false });
    const separate = { stdout, stderr };
    using feed = new ProgressFeed((progress) => ctx.progress(progress));
    let lastOutputAt = performance.now();
    const outcome = await ctx.processes.run({
      argv: ['/bin/sh', '-c', command],
      cwd: () => ctx.workspace.openDirectory(cwd),
      hardened: true,
      signal: ctx.signal,
      onOutput(stream, chunk) {
        lastOutputAt = performance.now();
        both.write(chunk);
        feed.add(stream, separate[stream].write(chunk));
      },
    });
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
      quarantined: (outcome.quarantined ?? []).map(({ path, reason, action }) => ({ path, reason, action })),
    };
    const silent = performance.now() - lastOutputAt >= Math.min(SILENCE_MS, timeoutMs / 2);
    const empty = both.bytes === 0 ? 'no output' : text.trim() === '' ? `nothing to show in ${size(both.bytes)} of output` : undefined;
    return {
      data,
      content: text,
      note: note(outcome, ending(data), empty, outcome.aborted && silent && endsWithPrompt(text)),
      ...(truncation === undefined ? {} : { truncation }),
      sandbox: outcome.sandbox,
    };
  },
});
