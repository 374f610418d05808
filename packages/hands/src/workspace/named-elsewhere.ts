import type { FolderTargets } from '../danger/execution-targets.ts';
import type { NamedPlace } from '../danger/link-route.ts';

/** Paths that other programs execute because of folders that are not above a change. */
export interface NamedElsewhere {
  readonly places: readonly NamedPlace[];
  /** The targets of the root of the workspace, which is above each change; undefined if they are not known. */
  readonly ofRoot?: FolderTargets | undefined;
  /** Why there may be more; undefined if these are all. */
  readonly problem: string | undefined;
  /** Whether an earlier call took a folder away from a path. Relative to the root, one character per byte (latin1). */
  readonly hadFolder: (path: string) => boolean;
}

/** Knows what the folders of a workspace name. */
export interface ElsewhereSource {
  /** Returns the places of now. */
  current(): Promise<NamedElsewhere>;
}
