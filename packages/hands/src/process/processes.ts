import type { SandboxTier } from '@synapse/protocol';
import type { PinnedDirectory } from '../workspace/confinement.ts';

/** A process to run. */
export interface ProcessRequest {
  /** Program and arguments; there is no shell in between. */
  readonly argv: readonly [string, ...string[]];
  /** Held by handle, so that a swap of its name cannot move the process elsewhere. */
  readonly cwd: PinnedDirectory;
  /** Variables beside the allowed ones of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Takes output as it comes; must not keep what it cannot bound. */
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  /** Aborting kills the whole tree; `run` still waits for its end. */
  readonly signal: AbortSignal;
}

/** How a process ended. */
export interface ProcessOutcome {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it was killed because the request's signal was aborted. */
  readonly aborted: boolean;
  readonly durationMs: number;
  /** Processes it left behind that still run; 0 where the tree was killed. */
  readonly leftRunning: number;
  readonly sandbox: SandboxTier;
}

/** Starts processes, bounded and killable as a tree. */
export interface Processes {
  run(request: ProcessRequest): Promise<ProcessOutcome>;
}
