import type { Argv } from '../launch/launch-steps.ts';
import type { RunMode, RUN_MODES } from '../modes/run-modes.ts';
import type { InheritedHandle, ProcessOutcome, ProcessRequest, RunningTree, SessionNetwork } from '../process/processes.ts';
import type { ProcessEntry } from '../process/process-table.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { JoinedNetwork } from './network/session-networks.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import type { SandboxSupport } from './sandbox-support.ts';
import type { WorkspaceOverlay } from './workspace-overlay.ts';
import type { CacheLayers } from './view/cache-layers.ts';
import type { CommandView } from './view/command-view.ts';
import type { Survey, DeniedPathIndex } from './denied-path-index.ts';
import type { Cover } from './workspace-mounts.ts';

/** What the runs of a sandbox share. */
export interface RunParts {
  readonly options: Pick<SandboxOptions, 'confinement' | 'policy' | 'homeFiles' | 'keptOutputs'>;
  readonly support: SandboxSupport;
  /** The filter of system calls, and the maximum number of processes, to open for each run. */
  readonly lasting: { readonly filter: number | undefined; readonly pidMax: number | undefined };
  /** Returns the network that a command shares with the jobs of its session; undefined if it gets its own. */
  readonly joinNetwork: (wanted: SessionNetwork | undefined) => Promise<(JoinedNetwork & Disposable) | undefined>;
  readonly view: CommandView;
  /** The layers over caches, and whether earlier commands of the project wrote to any. */
  readonly layers: { readonly hasKept: () => boolean; readonly open: () => Promise<CacheLayers | undefined> };
  readonly index: DeniedPathIndex;
}

/** How a command may use the workspace. */
export interface WorkspaceUse {
  readonly root: PinnedDirectory;
  readonly survey: Survey;
  readonly mode: RunMode;
}

/** A run that is being prepared: what is given. */
export interface Run {
  readonly parts: RunParts;
  readonly request: ProcessRequest;
  readonly overlay: WorkspaceOverlay | undefined;
  readonly use: WorkspaceUse;
  readonly facts: (typeof RUN_MODES)[RunMode];
}

/** A command that is ready to start. Dispose it when the command has ended. */
export interface PreparedRun extends AsyncDisposable {
  readonly argv: Argv;
  readonly handles: readonly InheritedHandle[];
  /** Variables for the programs that start it, in addition to those of the request. */
  readonly environment: Readonly<Record<string, string>>;
  /** The mounts that keep places of the workspace as they are, or hidden, as long as no other program replaces what they are on. */
  readonly covers: readonly Cover[];
  /** The signal by which its first process ends all others. Default: the end of the first one does, or nothing. */
  readonly endsAllBy?: NodeJS.Signals | undefined;
  /** The file through which it joins its control group; undefined if it has none. */
  readonly cgroupProcs: string | undefined;
  /** Folders beside the workspace to whose disks it can write. None where its private folders are bounded. */
  readonly disks: readonly string[];
  /** How much of other machines it reaches. */
  readonly reach: 'off' | 'some' | 'on';
  /** How often the network has refused it so far, and what to do. Undefined if it refuses nothing, or if that is not counted. */
  readonly refused: ((running: readonly ProcessEntry[]) => ReturnType<NonNullable<RunningTree['refused']>>) | undefined;
  /** Makes another process responsible for what it opened. */
  transferOwnership(owner: string): void;
  /** Throws if what it must see could not be mounted: it was then not run. */
  assertMounted(): void;
  ranOutOfMemory(): Promise<boolean>;
  /** Number of processes that the ended command left running; undefined if it was not counted. */
  leftRunning(): number | undefined;
  /** What the ended command left outside the workspace, where it does not last: paths relative to the workspace. */
  lost(): readonly string[];
  /** The same of a command that still runs. */
  lostSoFar(running: readonly ProcessEntry[]): readonly string[];
  /** Why the ended command failed, if the sandbox is the reason. @param said the beginning and the end of its output */
  explain(outcome: ProcessOutcome, said: string): string[];
}
