import type { Wrap } from '../launch/launch-steps.ts';
import type { HiddenPlace } from './workspace-mounts.ts';

/** An overlay for the workspace in one run. The command's changes are judged before they reach the workspace, so nothing is write-protected but large packs. */
export interface WorkspaceOverlay {
  /** The folder mounted over the workspace. */
  readonly source: string;
  /** An overlay for a folder outside the workspace. */
  readonly also?: { readonly path: string; readonly source: string };
  /** Wraps the command line of the sandbox to prepare the overlay in the same namespace. */
  readonly wrap: Wrap;
  /** Hides places in the overlay; resolves to false if they must be hidden by mounts instead. */
  readonly hide: (places: readonly HiddenPlace[]) => Promise<boolean>;
  /** Whether the command reads nothing, so that nothing need be hidden from it. Default: false. */
  readonly readsNothing?: boolean;
  /** Resolves when the command may start. */
  readonly ready: Promise<unknown>;
  /** The user in the sandbox, because the preparation runs as a different one. */
  readonly user: { readonly uid: number; readonly gid: number };
}
