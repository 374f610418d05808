import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import type { Job } from '../jobs/job.ts';
import { endingText } from '../jobs/job-state.ts';
import { assertInput, writeInput } from '../jobs/job-input.ts';
import { linePattern } from '../jobs/line-pattern.ts';
import { readOutput, type OutputPart } from '../jobs/read-output.ts';
import { JOB_SIGNALS, signalJob } from '../jobs/signal-job.ts';
import { newOutput, waitFor, type WaitEnd } from '../jobs/wait-for.ts';
import { COMMAND_LIMITS } from '../output/limits.ts';
import { count } from '../text/amounts.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';
import { leftBehindNotes, lostNotes, quarantineNotes, seconds } from './command-note.ts';

const MAX_WAIT_MS = 600_000;
/** Milliseconds added to the wait itself, for a job to end and for its changes to be judged. */
const EXTRA_MS = 30_000;
/** How long to wait for the reply of a program to its input, in milliseconds. It is shown at once. */
const REPLY = { timeoutMs: 1_000, settleMs: 150 };
const COMMAND_CHARACTERS = 60;

const inputSchema = () =>
  z.strictObject({
    action: z.enum(['list', 'output', 'wait', 'input', 'signal', 'stop']),
    id: z.string().optional().describe('The job; all but list'),
    cursor: z.int().min(0).optional().describe('output: byte to read on from (default: what was not shown yet)'),
    tail: z.int().min(1).max(10_000).optional().describe('output: the last lines only'),
    grep: z.string().min(1).optional().describe('output: lines that match this regular expression'),
    pattern: z.string().min(1).optional().describe('wait: until a line matches this regular expression'),
    port: z.int().min(1).max(65_535).optional().describe('wait: until it listens on this TCP port'),
    idle_ms: z.int().min(1).max(MAX_WAIT_MS).optional().describe('wait: until it was silent so long'),
    timeout_ms: z.int().min(1).max(MAX_WAIT_MS).default(30_000).describe('wait: at most so long'),
    text: z.string().optional().describe('input: whole lines for its stdin'),
    eof: z.boolean().default(false).describe('input: end its stdin after the text'),
    signal: z.enum(JOB_SIGNALS).optional(),
  });
type Input = z.output<ReturnType<typeof inputSchema>>;

const jobSchema = () =>
  z.strictObject({
    id: z.string(),
    command: z.string(),
    status: z.enum(['running', 'ending', 'ended']),
    /** Null while the job runs, or if a signal ended it. */
    exit_code: z.int().nullable(),
    /** How the job ended, as text. */
    ending: z.string().nullable(),
    running_ms: z.number(),
    waits_for_input: z.boolean(),
    last_line: z.string(),
  });
type JobData = z.output<ReturnType<typeof jobSchema>>;

const outputSchema = () =>
  z.strictObject({
    jobs: z.array(jobSchema()),
    output: z.string(),
    /** Where to continue reading the output; null if no output was requested. */
    cursor: z.int().nullable(),
    /** What ended the wait. */
    met: z.enum(['exit', 'pattern', 'port', 'idle', 'input', 'timeout']).nullable(),
  });
type Data = z.output<ReturnType<typeof outputSchema>>;

function dataOf(job: Job): JobData {
  const { state } = job;
  return {
    id: job.id,
    command: job.command,
    status: state.status,
    exit_code: job.outcome?.exitCode ?? null,
    ending: state.status === 'ended' ? endingText(state.ending) : null,
    running_ms: (job.endedAt?.getTime() ?? Date.now()) - job.startedAt.getTime(),
    waits_for_input: job.waitsForInput(),
    last_line: job.lastLine(),
  };
}

function statusText({ status, ending, running_ms: ms, waits_for_input: waits, last_line: line }: JobData): string {
  const how = status === 'running' ? `runs for ${seconds(ms)}` : status === 'ending' ? 'is being ended' : `${ending} after ${seconds(ms)}`;
  return `${how}${waits ? ` and waits for input${line === '' ? '' : `: ${line}`}` : ''}`;
}

/** How a wait ended, in words. */
export const MET: Record<WaitEnd, string> = {
  exit: 'it has ended',
  pattern: 'a line matched',
  shown: 'a line matches that was shown before; nothing new has come',
  port: 'it listens on the port',
  idle: 'it is silent',
  input: 'it waits for input',
  timeout: 'the wait is over, and it goes on',
};

/** Returns the notes about a job. News and files taken away while it runs are shown once. */
function lastNotes(job: Job): string[] {
  const news = [...lostNotes(job.lost, { stillRuns: !job.isOver }), ...quarantineNotes(job.takenAway.splice(0)), ...job.news.splice(0)];
  return job.outcome === undefined || !job.isOver
    ? news
    : [...leftBehindNotes({ ...job.outcome, leftRunning: 0 }), ...quarantineNotes(job.quarantined), ...news];
}

function missing(field: string, action: string): SynapseError {
  return new SynapseError('invalid_arguments', `job: ${field} is missing for action "${action}".`, {
    hint: 'Give it, or list the jobs with action "list".',
  });
}

function need<Value>(value: Value | undefined, field: string, { action }: Input): Value {
  if (value === undefined) throw missing(field, action);
  return value;
}

/** The result of an action, in addition to the state of the job that every answer shows. */
interface Done {
  readonly met?: WaitEnd;
  readonly said?: string;
  /** Whether later waits look only at what comes after this answer. */
  readonly waited?: boolean;
  /** How to show output; undefined to show none. */
  readonly show?: Pick<Input, 'cursor' | 'tail' | 'grep'>;
}

/** Reads the output to show, and remembers what was shown. */
function showOutput(job: Job, { cursor, tail, grep: given }: NonNullable<Done['show']>, maxBytes: number): OutputPart {
  const grep = given === undefined ? undefined : linePattern('grep', given);
  const part = readOutput(job, { cursor, tail, grep, maxBytes });
  if (grep === undefined) job.cursor = part.cursor;
  return part;
}

/** What is said after an action. */
function notesAfter(job: Job, status: string, part: OutputPart | undefined, said: string | undefined): string[] {
  return [
    ...(part?.text === '' ? ['no new output'] : []),
    ...(said === undefined ? [] : [said]),
    status,
    ...(part?.notes ?? []),
    ...(job.log.failed ? ['the disk is full or not writable: later output is lost'] : []),
    ...lastNotes(job),
  ];
}

type Action = (job: Job, given: Input, ctx: ToolContext) => Promise<Done>;

const ACTIONS: Readonly<Record<Exclude<Input['action'], 'list'>, Action>> = {
  output: async (_, show) => ({ show }),
  async wait(job, given, { signal }) {
    const pattern = given.pattern === undefined ? undefined : linePattern('pattern', given.pattern);
    const met = await waitFor(job, { pattern, port: given.port, idleMs: given.idle_ms, timeoutMs: given.timeout_ms }, signal);
    return { met, said: MET[met], show: {}, waited: true };
  },
  async input(job, given) {
    if (given.text === undefined && !given.eof) throw missing('text', given.action);
    await job.opened;
    assertInput(job, given.text ?? '');
    const since = job.log.end;
    // A pattern that is waited for after an input must match its reply.
    job.searched = since;
    await writeInput(job, given.text ?? '', given.eof);
    await newOutput(job, { ...REPLY, since });
    return { show: {} };
  },
  async signal(job, given) {
    const since = job.log.end;
    const sent = signalJob(job, need(given.signal, 'signal', given));
    job.searched = since;
    return { said: `${given.signal} was sent to ${count(sent, 'process', 'processes')}` };
  },
  async stop(job) {
    job.apply({ type: 'stop', reason: 'stopped' });
    await job.ended;
    return { show: {} };
  },
};

/** Other names for the actions on a job. */
const OTHER_ACTIONS: Readonly<Record<string, string>> = {
  read: 'output',
  logs: 'output',
  status: 'output',
  poll: 'output',
  get: 'output',
  kill: 'stop',
  terminate: 'stop',
  cancel: 'stop',
  write: 'input',
  send: 'input',
  stdin: 'input',
  ls: 'list',
  ps: 'list',
};

export const jobTool = defineTool({
  name: 'job',
  title: 'Use a background job',
  description:
    'List the jobs that run_command left running, read their output, wait for one (until it exits, or the first of pattern, port, idle_ms), write to its stdin, signal or stop it.',
  effects: 'exec',
  destructive: true,
  // A dry run is impossible: input and signals act on a process outside this call.
  outside: true,
  input: inputSchema,
  output: outputSchema,
  // Text for a shell is a command like any other. The job may have changed its folder, so relative paths in it are uncertain.
  aliases: {
    fields: {
      job_id: 'id',
      bash_id: 'id',
      shell_id: 'id',
      process_id: 'id',
      pid: 'id',
      session_id: 'id',
      job: 'id',
      input: 'text',
      stdin: 'text',
      data: 'text',
      chars: 'text',
    },
    ignored: fields.remarks,
    meant: ({ action, ...rest }) => ({
      action: typeof action === 'string' && Object.hasOwn(OTHER_ACTIONS, action) ? OTHER_ACTIONS[action] : action,
      ...rest,
    }),
  },
  otherNames: [
    'jobs',
    'bash_output',
    'kill_shell',
    'kill_bash',
    'kill_process',
    'list_processes',
    'read_process_output',
    'interact_with_process',
    'force_terminate',
    'write_stdin',
    'task_output',
  ],
  permission: ({ action, text = '' }) => (action === 'input' && text !== '' ? [{ action: 'exec', resource: `cd "$JOB_FOLDER"\n${text}` }] : []),
  timeoutMs: ({ action, timeout_ms: timeoutMs }) => EXTRA_MS + (action === 'wait' ? timeoutMs : 0),
  keep: 'ends',
  limits: COMMAND_LIMITS,
  summarize: ({ action, id }, { jobs, met }) =>
    `job(${id === undefined ? action : `${action} ${id}`}) → ${met ?? (action === 'list' ? count(jobs.length, 'job') : (jobs[0]?.status ?? 'none'))}`,
  async execute(given, ctx) {
    const news = ctx.jobs.news();
    if (given.action === 'list') {
      const all = ctx.jobs.list();
      await Promise.all(all.map((job) => job.checkWorkspace()));
      const jobs = all.map(dataOf);
      const content = jobs.map((job) => `${job.id} ${statusText(job)} · ${job.command.slice(0, COMMAND_CHARACTERS)}\n`).join('');
      const data: Data = { jobs, output: '', cursor: null, met: null };
      return {
        data,
        content,
        note: [count(jobs.length, 'job'), ...all.flatMap((job) => quarantineNotes(job.takenAway.splice(0))), ...news].join(' · '),
      };
    }
    const job = ctx.jobs.get(need(given.id, 'id', given));
    const { met: end, said, show, waited = false } = await ACTIONS[given.action](job, given, ctx);
    await job.checkWorkspace();
    const part = show && showOutput(job, show, ctx.limits.outputBytes);
    if (waited) job.searched = job.cursor;
    const met = end === 'shown' ? 'pattern' : (end ?? null);
    const data: Data = { jobs: [dataOf(job)], output: part?.text ?? '', cursor: part?.cursor ?? null, met };
    const notes = [...notesAfter(job, statusText(dataOf(job)), part, said), ...news];
    return { data, content: data.output, note: notes.join(' · '), ...(job.sandbox === undefined ? {} : { sandbox: job.sandbox }) };
  },
});
