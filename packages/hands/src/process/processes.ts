import type { Writable } from 'node:stream';
import type { SandboxTier } from '@synapse/protocol';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { ProcessEntry } from './process-table.ts';
import type { TreeRoot } from './process-tree.ts';

/** The first descriptor at which a process finds handles that it inherits. */
export const FIRST_HANDLE = 3;

/** What a process can inherit. */
export type InheritedHandle = Pick<PinnedDirectory, 'descriptor'>;

/** Limits of one process, in the units of a shell (POSIX). */
export interface ProcessLimits {
  /** KiB of private writable memory (RLIMIT_DATA). */
  readonly memoryKib: number;
  /** Seconds of processor time. */
  readonly cpuSeconds: number;
  /** Blocks of 512 bytes of one file. */
  readonly fileBlocks: number;
}

/** A command that runs, with all that it started. */
export interface RunningTree {
  readonly root: TreeRoot;
  /** The processes of it that run now. */
  list(): readonly ProcessEntry[];
  /**
   * Judges what it has left in the workspace up to now, as is done when it ends, and takes away what another program would
   * execute. Undefined where that is not done.
   */
  check?(): Promise<readonly QuarantinedFile[]>;
}

/** The network that the jobs of a session have in common. */
export interface SessionNetwork {
  readonly session: string;
  /** Whether there shall be one from now on, as for a job. Default: it is used where there is one. */
  readonly opens?: boolean;
}

/** A process to run. */
export interface ProcessRequest {
  /** Program and arguments; there is no shell in between. */
  readonly argv: readonly [string, ...string[]];
  /**
   * Held by handle, so that a swap of its name cannot move the process elsewhere. A function is called
   * when the turn of the process comes, and what it gives is closed afterwards: calls that wait hold
   * nothing open.
   */
  readonly cwd: PinnedDirectory | (() => PinnedDirectory);
  /** Open folders and files that it inherits, as descriptors 3, 4 and so on. Default: none. */
  readonly handles?: readonly InheritedHandle[];
  /** Variables beside the allowed ones of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * For commands that may start anything: all they start is marked so that it is found again, whatever it
   * does to its environment, and is ended with the command. They write to real pipes, which `/dev/stderr`
   * needs. Costs about 4 ms.
   */
  readonly hardened?: boolean;
  /** The file by which a hardened process joins a control group, before it starts. Default: it stays in that of its parent. */
  readonly groupDoor?: string;
  /** What a hardened process, and each that it starts, may use. None can raise them again. Default: what this process may. */
  readonly limits?: ProcessLimits;
  /** Files of the workspace that it may read although a sandbox would hide them: a person, or a rule, let it. Default: none. */
  readonly approvedReads?: ReadonlySet<string>;
  /** Whether a sandbox mounts the workspace read-only and gives no network. Default: as it is set up. */
  readonly readOnly?: boolean;
  /** Takes output as it comes; must not keep what it cannot bound. */
  readonly onOutput: (stream: OutputStream, chunk: Buffer) => void;
  /** Hears when it runs, to look at it and to signal it while it does. */
  readonly onStart?: (tree: RunningTree) => void;
  /** Shared with the jobs of a session, where a sandbox would give it a network of its own. Default: its own. */
  readonly network?: SessionNetwork;
  /** Whether a sandbox counts what a shell command leaves running, which it ends unseen. Default: no. */
  readonly countsLeft?: boolean;
  /** Is given a pipe to write to the process on. Default: it gets no input at all. */
  readonly onInput?: (input: Writable) => void;
  /** Aborting kills the whole tree; `run` still waits for its end. */
  readonly signal: AbortSignal;
}

export type OutputStream = 'stdout' | 'stderr';

/** How a process ended. */
export interface ProcessOutcome {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it was killed because the request's signal was aborted. */
  readonly aborted: boolean;
  readonly durationMs: number;
  /**
   * Processes it had left running in the background, which were ended with it. Looked for when hardened. In a sandbox
   * the kernel ends them at once: there they are counted where `countsLeft` asks for it.
   */
  readonly leftRunning: number;
  /** Processes that could not be ended, such as those of another user. */
  readonly survivors: number;
  readonly sandbox: SandboxTier;
  /** What it left that another program would execute, and what became of it. Looked for in a sandbox. */
  readonly quarantined?: readonly QuarantinedFile[];
}

/** A file that was taken out of the workspace after a command, or is reported. */
export interface QuarantinedFile {
  /** Below the workspace. */
  readonly path: string;
  readonly reason: string;
  readonly action: 'moved' | 'deleted' | 'reported' | 'found';
}

/** Starts processes, bounded and killable as a tree. */
export interface Processes {
  /**
   * Runs a process to its end; one that ends with an error or by a signal is an outcome, not a failure.
   *
   * @throws SynapseError where it could not be started, or the signal was aborted before its turn came
   */
  run(request: ProcessRequest): Promise<ProcessOutcome>;
}
