import type { ProcessOutcome, ProcessRequest, RunningTree } from '../process/processes.ts';
import type { Job } from './job.ts';

/** The session of calls that name none. */
export const NO_SESSION = '';

/** A command to start as a job. */
export interface JobStart {
  readonly command: string;
  /** Relative to the workspace, for display. */
  readonly folder: string;
  readonly argv: ProcessRequest['argv'];
  readonly cwd: ProcessRequest['cwd'];
  readonly environment?: ProcessRequest['environment'];
  readonly terminal: boolean;
  /** Timeout in milliseconds. Default: none. */
  readonly timeoutMs?: number | undefined;
}

/** A running command that becomes a job because its call stops waiting for it. */
export interface RunningCommand {
  readonly command: string;
  readonly folder: string;
  /** Aborted to end the command. Nothing else may abort the command any more. */
  readonly stopping: AbortController;
  readonly run: Promise<ProcessOutcome>;
  readonly tree: RunningTree | undefined;
  /** Passes the output so far to a function, in order. */
  readonly replay: (take: (bytes: Uint8Array) => void) => void;
  /** Milliseconds that it has run. */
  readonly ranMs: number;
  /** Milliseconds left until the timeout. */
  readonly timeoutMs: number;
}

/** The jobs that a call can access: those of its session. */
export interface CallJobs {
  /** The session; its commands share a network with its jobs. Undefined if the call can have no jobs. */
  readonly session: string | undefined;
  /** Throws `unavailable` if no job can outlive this call, and `busy` if too many jobs run. */
  assertPossible(): void;
  /** Starts a job without waiting for anything. */
  start(start: JobStart): Job;
  /** Turns a running command into a job; returns undefined if too many jobs run, so that the call continues to wait. */
  adopt(command: RunningCommand): Job | undefined;
  /** Lists the jobs, newest last. */
  list(): readonly Job[];
  /** @throws SynapseError `not_found` for an id that is not in this session */
  get(id: string): Job;
  /** Returns events from before these hands were opened; each is reported once. */
  news(): readonly string[];
}
