import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { SandboxOutcome } from '../sandbox/sandbox-processes.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/** One entry that a command changed on its copy of the workspace. A new folder is one entry, whatever it holds. */
export interface EntryChange {
  readonly location: WorkspacePath;
  /** {@link location} as text for people. */
  readonly path: string;
  /** `metadata`: only permissions or times differ. */
  readonly kind: 'added' | 'changed' | 'deleted' | 'metadata';
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** Regular files in it: 1 for a file. Of a deleted entry: of what was there before, where that was counted. */
  readonly files: number;
  /** Bytes of these files. */
  readonly bytes: number;
}

/** An entry that must not reach the workspace; it is kept in the quarantine. */
export interface WithheldChange {
  readonly path: string;
  /** A short code, such as `git-hook` or `denied`. */
  readonly reason: string;
  readonly detail: string;
}

/** Everything a command changed, judged entry by entry. */
export interface ChangeSet {
  /** What may be applied, parents before what they hold. */
  readonly changes: readonly EntryChange[];
  readonly withheld: readonly WithheldChange[];
  /** Things to know about changes that are applied, one line each, such as an edited AGENTS.md. */
  readonly cautions: readonly string[];
  /** Why judging could not be finished. Nothing may be applied then; everything is kept for a person. */
  readonly unjudged: string | undefined;
  /** All files that {@link changes} add or change, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** What this exact set of changes is known by: an approval is bound to it. */
  readonly fingerprint: string;
}

/** What was applied, and what was not. */
export interface AppliedChanges {
  readonly applied: number;
  /** Paths that something else changed meanwhile. The workspace keeps its version; the command's is kept under the handle. */
  readonly conflicts: ReadonlyArray<{ readonly path: string; readonly handle: string }>;
  /** Whether an undo takes it back; a string says why not. */
  readonly undo: true | string;
}

/** A command that ended on a copy-on-write view of the workspace. Disposing it drops what was neither applied nor held. */
export interface Transaction extends AsyncDisposable {
  readonly outcome: SandboxOutcome;
  readonly changes: ChangeSet;
  /** Changes with diffs, for a person. */
  show(): Promise<ShownEffect>;
  /** Makes the workspace so, as one change that can be undone. Survives kill -9 at every step. */
  apply(): Promise<AppliedChanges>;
  /** Keeps the changes until a person decides; returns the handle for `synapse changes apply` and `drop`. */
  hold(why: string): Promise<string>;
}

/** Changes that wait for a person. */
export interface PendingChanges {
  /** What a person calls them by, such as `c-3f2a`. */
  readonly handle: string;
  readonly command: string;
  /** ISO 8601. */
  readonly time: string;
  readonly why: string;
  readonly files: number;
  readonly bytes: number;
}
