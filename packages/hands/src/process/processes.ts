import type { Writable } from 'node:stream';
import type { SandboxTier } from '@synapse/protocol';
import type { RunMode } from '../modes/run-modes.ts';
import type { AskAboutRequest } from '../net/held-request.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { ProcessEntry } from './process-table.ts';
import type { TreeRoot } from './process-tree.ts';
import type { ProcessLimits } from './hardening.ts';

/** The first descriptor of the handles that a process inherits. */
export const FIRST_HANDLE = 3;

/** A handle that a process can inherit. */
export type InheritedHandle = Pick<PinnedDirectory, 'descriptor'>;

/** A running command with all processes that it started. */
export interface RunningTree {
  readonly root: TreeRoot;
  /** Lists its running processes. */
  list(): readonly ProcessEntry[];
  /**
   * Checks the files that it has left in the workspace so far, as at its end, and removes those that another program would
   * execute. Undefined if files are not checked.
   */
  check?(): Promise<readonly QuarantinedFile[]>;
  /** How often the network of a sandbox has refused it up to now, and what to do. */
  refused?(): { readonly count: number; readonly hint: string };
  /** What it has written outside the workspace up to now, where that ends with it: paths relative to the workspace. */
  lost?(): readonly string[];
  /**
   * Makes another process responsible for what the command leaves. The command then no longer ends with this process, if the
   * other one keeps its `life` open. Undefined if that is not possible.
   *
   * @param owner as in `processIdentity`
   */
  transferOwnership?(owner: string): void;
  /** Stops following the command, so that this process can end. */
  letGo?(): void;
}

/** The network that the jobs of a session share. */
export interface SessionNetwork {
  readonly session: string;
  /** Whether to create the network if it does not exist, as for a job. Default: it is only used if it exists. */
  readonly opens?: boolean;
}

/** How to hold a command that may outlive the process that started it. */
export interface Holding {
  /** The named pipe whose writers own the command: when the last of them has ended, it is killed. */
  readonly life: string;
  /** The file for its exit code. */
  readonly exitFile: string;
}

/** A repository that a sandbox shows above the workspace, read-only. */
export interface ShownRepository {
  /** Where git looks for it. */
  readonly path: string;
  /** The folder shown there. */
  readonly source: string;
  /** Additional files there that git reads. */
  readonly beside: readonly string[];
}

/** A process to run. */
export interface ProcessRequest {
  /** Program and arguments, without a shell. */
  readonly argv: readonly [string, ...string[]];
  /**
   * Held by handle, so that replacing its name cannot move the process elsewhere. A function is called
   * when the process gets its slot, and its result is closed afterwards, so waiting calls keep nothing open.
   */
  readonly cwd: PinnedDirectory | (() => PinnedDirectory);
  /** Open folders and files that it inherits, as descriptors 3, 4 and so on. Default: none. */
  readonly handles?: readonly InheritedHandle[];
  /** Variables in addition to the inherited ones. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * For commands that may start anything: all their processes are tagged, so that they can be found even if
   * they change their environment, and end with the command. They write to real pipes, which `/dev/stderr`
   * needs. Costs about 4 ms.
   */
  readonly hardened?: boolean;
  /** The signal by which its first process ends all others, before they are ended one by one. Default: none does. */
  readonly endsAllBy?: NodeJS.Signals;
  /** The file through which a hardened process joins a control group before it starts. Default: the group of its parent. */
  readonly cgroupProcs?: string;
  /** Limits of a hardened process and each process that it starts. They cannot be raised again. Default: the limits of this process. */
  readonly limits?: ProcessLimits;
  /** Workspace files that it may read although a sandbox would hide them, by approval or rule. Default: none. */
  readonly approvedReads?: ReadonlySet<string>;
  /** Hosts that it may reach although a rule asks about them, by approval. Default: none. */
  readonly approvedHosts?: ReadonlySet<string>;
  /** Asks a person about a request that its network would refuse. Default: it is refused. */
  readonly askRequest?: AskAboutRequest | undefined;
  /** The repository that contains the workspace, as a sandbox shows it. Default: none is shown. */
  readonly repository?: ShownRepository | undefined;
  /** How a sandbox runs it. Default: as its policy says, `live` unless that names another. */
  readonly mode?: RunMode;
  /** Receives output as it arrives; must not store it without a limit. */
  readonly onOutput: (stream: OutputStream, chunk: Buffer) => void;
  /** Called when it has started, to inspect and signal it while it runs. */
  readonly onStart?: (tree: RunningTree) => void;
  /**
   * Called when a command on a copy has ended, before its changes are judged and asked about, which can take as long as a person takes. They are
   * applied after what it returns.
   */
  readonly onEnd?: () => Promise<void> | void;
  /** Called with a sentence about it for the result, while it runs or after it has ended. */
  readonly onNote?: (note: string) => void;
  /** The network to share with the jobs of a session. Default: a separate one. */
  readonly network?: SessionNetwork;
  /** Whether a sandbox counts the processes that a shell command leaves running, which it otherwise just ends. Default: no. */
  readonly countsLeft?: boolean;
  /** The end of a pipe that the process gets as its input, instead of one that this process makes. */
  readonly input?: number;
  /** How a sandbox holds the command, so that it can outlive this process. Default: it ends with this process. */
  readonly holding?: Holding;
  /** Receives a pipe to the input of the process. Default: no input. */
  readonly onInput?: (input: Writable) => void;
  /** Aborting kills the whole tree; `run` still waits for its end. */
  readonly signal: AbortSignal;
}

export type OutputStream = 'stdout' | 'stderr';

/** How a process ended. */
export interface ProcessOutcome {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it was killed because the request's signal was aborted. */
  readonly aborted: boolean;
  readonly durationMs: number;
  /**
   * Number of background processes that it left running, which were ended with it. Counted if hardened. In a sandbox
   * the kernel ends them at once, so they are counted only with `countsLeft`.
   */
  readonly leftRunning: number;
  /** Number of processes that could not be ended, such as those of another user. */
  readonly survivors: number;
  readonly sandbox: SandboxTier;
  /** How much of other machines it could reach. Default: all that this machine reaches. */
  readonly network?: 'off' | 'some' | 'on';
  /** Why the sandbox made it fail and how to fix it, one line each. Only detected in a sandbox. */
  readonly hints?: readonly string[];
  /** What it wrote outside the workspace and is gone, by path relative to the workspace. Only detected in a sandbox. */
  readonly lost?: readonly string[];
  /** Files it left that another program would execute, and what happened to them. Only detected in a sandbox. */
  readonly quarantined?: readonly QuarantinedFile[];
}

/** A file that was removed from the workspace after a command, or is reported. */
export interface QuarantinedFile {
  /** Path below the workspace. */
  readonly path: string;
  readonly reason: string;
  /** What is dangerous about it, such as the setting that names a program. */
  readonly detail: string;
  readonly action: 'moved' | 'deleted' | 'reported' | 'found';
}

/** Starts processes, limited in number and killable as a tree. */
export interface Processes {
  /**
   * Runs a process to its end. An exit code or a signal is an outcome, not a failure.
   *
   * @throws SynapseError if it could not be started, or the signal was aborted while it waited for a slot
   */
  run(request: ProcessRequest): Promise<ProcessOutcome>;
}
