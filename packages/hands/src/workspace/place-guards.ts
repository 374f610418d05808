import type { WorkspacePath } from './workspace-path.ts';

/** Judges the real places that a call reaches, after its paths were resolved by handle. Each check throws if it is not allowed. */
export interface PlaceGuards {
  readonly change: (location: WorkspacePath) => void;
  readonly read: (location: WorkspacePath) => void;
  /** For entries that are deleted with a folder: throws if a rule denies it, or if it is a repository's history. */
  readonly sweep: (location: WorkspacePath) => void;
  /** Whether commands must not see a place. */
  readonly hides: (location: WorkspacePath) => boolean;
  /** The reason why a rule keeps a command from changing or deleting a place; undefined if no rule does. */
  readonly denied: (location: WorkspacePath, how?: 'change' | 'delete') => string | undefined;
  /** Whether the user allows calls to change files that other programs execute at this place. */
  readonly opens: (location: WorkspacePath) => boolean;
  /**
   * Whether a person approved this call's change of a protected place, which the question named. A folder also for what is in it.
   *
   * @param reason why other programs would execute it
   */
  readonly approved: (location: WorkspacePath, isFolder: boolean, reason?: string) => boolean;
  /**
   * For entries that are moved with a folder, by their path in it: throws if rules treat the new name
   * differently from the old one.
   */
  readonly moves: (from: WorkspacePath, to: WorkspacePath) => (below: WorkspacePath) => void;
}
