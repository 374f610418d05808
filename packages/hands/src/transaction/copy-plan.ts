import type { SandboxOutcome } from '../sandbox/sandbox-processes.ts';
import type { WorkspaceOverlay } from '../sandbox/workspace-overlay.ts';
import type { TransactionArea } from './transaction-area.ts';

/** A finished command on a copy, with what separates its changes from those of others. */
export interface OverlayCommand {
  readonly outcome: SandboxOutcome;
  /** Nanoseconds since 1970. An entry of the workspace with a later ctime was changed by something else. */
  readonly startedAt: bigint;
  /** Whether the command changed the permissions of the workspace's own folder, which is not an entry. */
  readonly rootChanged: boolean;
}

/** A copy, and what a command sees of it. */
export interface CopyPlan extends Pick<WorkspaceOverlay, 'hide' | 'readsNothing'> {
  readonly mode: 'copy' | 'try';
  readonly area: TransactionArea;
  readonly root: string;
  /** Keeps parts of the workspace as they are, in layers of the area, before the command starts. */
  readonly keep?: (() => Promise<void>) | undefined;
  /** A folder outside the workspace of which the area has a copy too. */
  readonly repository?: string | undefined;
}
