import type { BigIntStats } from 'node:fs';
import type { LeftoverReason } from '../quarantine/take-away.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { ChangeSet, EntryChange, WithheldChange } from './transaction.ts';

/** A change with the information to apply it. */
export interface PlannedEntry extends EntryChange {
  /** The entry in the workspace; undefined if none. */
  readonly before: BigIntStats | undefined;
  /** The command's entry; undefined if deleted. */
  readonly now: BigIntStats | undefined;
  /** Number of entries below it. */
  readonly entries: number;
  /** Whether this is an existing folder whose content stays and only its permissions change. */
  readonly isModeOnly: boolean;
}

/** An entry to withhold from the workspace, by its path in the upper folder. */
export interface WithheldEntry extends WithheldChange {
  readonly reason: LeftoverReason | 'special-file';
  readonly location: WorkspacePath;
  /** Whether there is an entry to keep; false for a deletion. */
  readonly isThere: boolean;
}

/** The changes read from an upper folder. */
export interface ReadChanges extends Omit<ChangeSet, 'changes' | 'withheld' | 'checkedOut'> {
  readonly changes: readonly PlannedEntry[];
  readonly withheld: readonly WithheldEntry[];
  readonly checkedOut: ReadonlyArray<Pick<WithheldEntry, 'path' | 'detail' | 'location'>>;
  /**
   * Whether the upper folder has an entry in place of one of the workspace, changed or not. Only then can the kernel have copied
   * files up, and only these have overlay marks, wherever the command moved them.
   */
  readonly hasCopies: boolean;
}
