import type { CallResult, CallSuccess } from '@synapse/protocol';
import type * as z from 'zod';
import { jobTool } from '../tools/job.ts';
import { runCommand } from '../tools/run-command.ts';
import type { CanonicalCall } from './dialect.ts';
import { need } from './steps.ts';

/** Job steps that the dialects of coding agents share. */
type Part<Answer> = Generator<CanonicalCall, Answer, CallResult>;

/** The result of a command, or the job it continues as. */
export type RanCommand = CallSuccess<z.output<(typeof runCommand)['output']>>;
/** The status of a job, and its output since the last read. */
export type KnownJob = CallSuccess<z.output<(typeof jobTool)['output']>>['data']['jobs'][number] & { readonly said: string };

/** Canonical maximum of `timeout_ms`, in milliseconds. */
const MAX_WAIT_MS = 600_000;

/** Starts a command that continues after its call. */
export function* startJob(command: string, cwd?: string, pty = false): Part<RanCommand> {
  return yield* need(runCommand, { command, background: true, pty, ...(cwd === undefined || cwd === '' ? {} : { cwd }) });
}

/** Reads the output of a job, after waiting up to `waitMs` milliseconds for its end. */
export function* readJob(id: string, waitMs = 0, lines?: number): Part<KnownJob> {
  const milliseconds = Math.min(MAX_WAIT_MS, Math.floor(waitMs));
  const waited = milliseconds >= 1 ? yield* need(jobTool, { action: 'wait', id, timeout_ms: milliseconds }) : undefined;
  // A wait returns new output; the last lines may be older.
  const read =
    waited !== undefined && lines === undefined ? waited : yield* need(jobTool, { action: 'output', id, ...(lines ? { tail: lines } : {}) });
  return known(read);
}

/** Acts on a job, and reads its output after that. */
export function* actOnJob(input: z.input<(typeof jobTool)['input']>): Part<KnownJob> {
  return known(yield* need(jobTool, input));
}

function known({ data }: CallSuccess<z.output<(typeof jobTool)['output']>>): KnownJob {
  const [job] = data.jobs;
  if (job === undefined) throw new TypeError('A job without what is known of it.');
  return { ...job, said: data.output };
}

/** Returns a number for a job, for systems with numeric ids: the hexadecimal digits of its id. */
export function jobNumber(id: string): number {
  return Number.parseInt(id.slice(PREFIX.length), 16);
}

/** Returns the job id for such a number. */
export function jobOfNumber(number: number): string {
  return `${PREFIX}${Math.max(0, Math.floor(number)).toString(16).padStart(8, '0')}`;
}

const PREFIX = 'job-';
