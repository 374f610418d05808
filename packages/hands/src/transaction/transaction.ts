import type { BigIntStats } from 'node:fs';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import type { TooLargeToUndo } from '../workspace/changes/capture.ts';
import type { KeptOutputs } from './output-layer.ts';
import type { SandboxOutcome } from '../sandbox/sandbox-processes.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/** An entry that a command changed on its copy of the workspace. A new folder is one entry, whatever it contains. */
export interface EntryChange {
  readonly location: WorkspacePath;
  /** {@link location} as text for people. */
  readonly path: string;
  /** `metadata`: only permissions or times differ. */
  readonly kind: 'added' | 'changed' | 'deleted' | 'metadata';
  /** Whether only times differ. */
  readonly isTimeOnly: boolean;
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** Number of regular files in it: 1 for a file. For a deleted entry: the files before, if they were counted. */
  readonly files: number;
  /** Bytes of these files. */
  readonly bytes: number;
  /** The path of it, or of the first entry in a new folder, that may be more than output of tools; undefined if none is. */
  readonly beyondOutput?: string | undefined;
  /** The folders of installed programs in a new folder, up to a bound and one more. */
  readonly installed?: readonly string[] | undefined;
  /** Files and links in a new folder that are installed programs if the repository ignores them, up to a bound. */
  readonly ifIgnored?: readonly string[] | undefined;
  /** Whether it is not known which of them the repository will ignore: the command wrote rules about that there, or they are too many. */
  readonly isUnsure?: boolean | undefined;
}

/** An entry that must not reach the workspace; it is kept in the quarantine. */
export interface WithheldChange {
  readonly path: string;
  /** A short code, such as `git-hook` or `denied`. */
  readonly reason: string;
  readonly detail: string;
}

/** A folder whose time changed. */
export interface TouchedFolder {
  readonly location: WorkspacePath;
  readonly before: BigIntStats;
  readonly now: BigIntStats;
}

/** All changes of a command, each judged. */
export interface ChangeSet {
  /** The changes that may be applied, parents first. */
  readonly changes: readonly EntryChange[];
  readonly withheld: readonly WithheldChange[];
  /**
   * Which of the changes other programs execute or obey, although they came with a commit, as git's new index says. They are only
   * applied with approval. Without them, git's state would not fit the files, and the next commit would take them back.
   */
  readonly checkedOut: ReadonlyArray<Pick<WithheldChange, 'path' | 'detail'>>;
  /** Whether hidden files got new names. */
  readonly movesHidden: boolean;
  /**
   * Folders of build output that the command changed above what earlier commands wrote there. They stay apart from the workspace, also if a rule
   * allows writing: without the rest they are half of a build.
   */
  readonly seenOutputs: readonly string[];
  /** Notices about applied changes, one line each, such as an edited AGENTS.md. */
  readonly cautions: readonly string[];
  /** Why judging could not be completed. If set, nothing is applied, and everything is kept for a person. */
  readonly unjudged: string | undefined;
  /** Folders of which only the time changed, for example by `touch` or a temporary lock file. Their time is applied without a question. */
  readonly touched: readonly TouchedFolder[];
  /** All files that {@link changes} add or change, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** The hash of exactly these changes, to which an approval is bound. */
  readonly fingerprint: string;
  /** Bytes of files that the changes remove and an undo must keep, with the path of the largest. */
  readonly removed: { readonly bytes: number; readonly path: string };
}

/** The applied changes and the conflicts. */
export interface AppliedChanges {
  readonly applied: number;
  /** Conflicting paths. The workspace keeps its version; the command's version is kept under the handle. */
  readonly conflicts: ReadonlyArray<{ readonly path: string; readonly handle: string }>;
  /** Number of other changes that wait under the same handle, because their repository has conflicts. */
  readonly heldWithRepository: number;
  /** Commits of repositories that something else changed meanwhile: they have a branch of git of their own. Absent if there are none. */
  readonly commits?: ReadonlyArray<{
    /** The folder of the repository, such as `.git`. */
    readonly repository: string;
    /** Such as `refs/heads/synapse/c-3f2a`. */
    readonly ref: string;
    readonly commit: string;
  }>;
  /** True if it can be undone; otherwise the reason why not. */
  readonly undo: true | string;
}

/** How changes are applied. */
export interface ApplyOptions {
  /** Whether a conflict prevents all changes. Default: the others are applied. */
  readonly whole?: boolean;
  /** Whether a person approved the changes, and so {@link ChangeSet.checkedOut}. Default: these are put into the quarantine. */
  readonly approved?: boolean;
}

/** A finished command on a copy-on-write view of the workspace. Disposing it drops changes that were neither applied nor held. */
export interface Transaction extends AsyncDisposable {
  readonly outcome: SandboxOutcome;
  readonly changes: ChangeSet;
  /** Changes that cannot be undone, because they exceed the limits. */
  readonly irreversible: readonly TooLargeToUndo[];
  /** Keeps folders of build output for later commands, apart from the workspace. They are no part of {@link changes} any more. */
  keepOutputs(folders: readonly string[]): Promise<KeptOutputs>;
  /** Changes with diffs, for a person. */
  show(signal: AbortSignal): Promise<ShownEffect>;
  /** Applies the changes as one change that can be undone. Survives kill -9 at every step. */
  apply(options?: ApplyOptions): Promise<AppliedChanges>;
  /** Keeps the changes until a person decides; returns the handle for `synapse changes apply` and `drop`. */
  hold(why: string): Promise<string>;
}

/** Changes that wait for a person. */
export interface PendingChanges {
  /** The handle, such as `c-3f2a`. */
  readonly handle: string;
  readonly command: string;
  /** ISO 8601. */
  readonly time: string;
  readonly why: string;
  /** Number of files that they add, change or delete. */
  readonly files: number;
  readonly bytes: number;
}
