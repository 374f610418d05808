import type { Name, Path, Who } from './content.ts';
import type { Operation } from './operations.ts';

export interface Change {
  /** `ends`: changes far from each other. */
  readonly kind: 'line' | 'ends' | 'whole' | 'binary' | 'delete';
  readonly who: Who;
  readonly path: Path;
  readonly line: number;
  readonly atomic: boolean;
}

/** A call of hands, or a command of a person in a branch. */
export interface Call {
  readonly kind: 'call';
  readonly who: Who;
  /**
   * `file`: each operation by a tool for files, where there is one. `command`: one command, whose changes wait for `later`, or are only tried.
   * `program`: one program. `own`: a command of a person.
   */
  readonly as: 'file' | 'command' | 'later' | 'tried' | 'program' | 'failing' | 'own';
  readonly operations: readonly Operation[];
}

export type Step =
  | Change
  | Call
  | { readonly kind: 'move'; readonly who: Who; readonly path: Path; readonly to: Path }
  | { readonly kind: 'commit'; readonly who: Who }
  | { readonly kind: 'apply'; readonly name: Name; readonly path: Path | undefined; /** Of the path, from 1. */ readonly hunk: number | undefined }
  | { readonly kind: 'drop'; readonly name: Name }
  /** The call to take back, from the last one. */
  | { readonly kind: 'undo'; readonly who: Who; readonly back: number }
  | { readonly kind: 'pending'; readonly who: Who; readonly take: boolean }
  | { readonly kind: 'resolve'; readonly name: Name; readonly take: 'branch' | 'workspace' | 'merged' }
  /** Makes a branch of the workspace as it was before a call. */
  | { readonly kind: 'past'; readonly name: Name; readonly back: number };
