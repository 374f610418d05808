import type { ProcessOutcome, ProcessRequest, RunningTree } from '../process/processes.ts';
import type { Job } from './job.ts';

/** A command to start as a job. */
export interface JobStart {
  readonly command: string;
  /** Relative to the workspace, for people. */
  readonly folder: string;
  readonly argv: ProcessRequest['argv'];
  readonly cwd: ProcessRequest['cwd'];
  readonly environment?: ProcessRequest['environment'];
  readonly terminal: boolean;
  /** Milliseconds after which it is ended. Default: it runs until it ends or is stopped. */
  readonly timeoutMs?: number | undefined;
}

/** A command that runs already, and becomes a job because its call waits no longer. */
export interface RunningCommand {
  readonly command: string;
  readonly folder: string;
  /** Ends it. Nothing else may abort this any more. */
  readonly stopping: AbortController;
  readonly run: Promise<ProcessOutcome>;
  readonly tree: RunningTree | undefined;
  /** Gives what it said up to now, in order. */
  readonly replay: (take: (bytes: Uint8Array) => void) => void;
  /** Milliseconds that are left to it. */
  readonly timeoutMs: number;
}

/** The jobs that one call can reach: those of its session. */
export interface CallJobs {
  /** The session, whose commands share a network with its jobs. Undefined where a call can have no jobs. */
  readonly session: string | undefined;
  /** Throws `unavailable` where nothing can outlive this call, and `busy` where too many jobs run. */
  assertPossible(): void;
  /** Starts a job, and waits for nothing. */
  start(start: JobStart): Job;
  /** Makes a job of a running command; undefined where too many run, so that its call goes on to wait. */
  adopt(command: RunningCommand): Job | undefined;
  /** Newest last. */
  list(): readonly Job[];
  /** @throws SynapseError `not_found` for an id that is not of this session */
  get(id: string): Job;
  /** What happened before these hands were opened, told once. */
  news(): readonly string[];
}
