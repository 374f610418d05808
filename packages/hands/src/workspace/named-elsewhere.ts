import type { FolderLeads } from '../danger/leads-from.ts';
import type { NamedPlace } from '../danger/link-route.ts';

/** The places that other programs take orders from because of folders that are not above a change. */
export interface NamedElsewhere {
  readonly places: readonly NamedPlace[];
  /** What the root of the workspace leads to, which is above each change; undefined if that is not known. */
  readonly ofRoot?: FolderLeads | undefined;
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
