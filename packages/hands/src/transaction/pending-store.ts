import { SynapseError } from '@synapse/protocol';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import { applyChanges, readArea, type OpenChanges, type TransactionParts } from './open-transaction.ts';
import { pendingIn, type PendingRecord } from './pending-record.ts';
import { showChanges } from './show-changes.ts';
import type { AppliedChanges, ChangeSet, PendingChanges } from './transaction.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Changes that waited and are looked at again. Disposing it changes nothing. */
export interface PendingTransaction {
  readonly pending: PendingChanges;
  /** Judged anew, by the rules and the workspace as they are now. */
  readonly changes: ChangeSet;
  /** Changes with diffs, for a person. */
  show(): Promise<ShownEffect>;
  /** Makes the workspace so, as one change that can be undone. What something else changed since waits on, under a new handle. */
  apply(): Promise<AppliedChanges>;
}

const told = ({ handle, command, time, why, files, bytes }: PendingRecord): PendingChanges => ({ handle, command, time, why, files, bytes });

/** Changes of commands that wait for a person. Later commands do not see them. */
export class PendingStore {
  readonly #areas: string;

  /** @param areas where the transactions of the workspace are kept */
  constructor(areas: string) {
    this.#areas = areas;
  }

  /** All that wait, the oldest first. */
  list(): PendingChanges[] {
    return pendingIn(this.#areas).map(({ record }) => told(record));
  }

  /**
   * Looks at changes again.
   *
   * @throws SynapseError `not_found` for a handle that is not kept
   */
  async open(handle: string, parts: TransactionParts): Promise<PendingTransaction> {
    const { area, record } = this.#find(handle);
    const read = await readArea(parts, area);
    const open: OpenChanges = { area, read, startedAt: BigInt(record.startedAt), command: record.command };
    return {
      pending: told(record),
      changes: read,
      show: () => showChanges(parts, open),
      apply: () => applyChanges(parts, open),
    };
  }

  /**
   * Deletes changes for good.
   *
   * @throws SynapseError `not_found` for a handle that is not kept
   */
  async drop(handle: string): Promise<PendingChanges> {
    const { area, record } = this.#find(handle);
    await area.settle();
    return told(record);
  }

  #find(handle: string): { readonly area: TransactionArea; readonly record: PendingRecord } {
    const found = pendingIn(this.#areas).find(({ record }) => record.handle === handle);
    if (found !== undefined) return found;
    throw new SynapseError('not_found', `No changes wait under ${JSON.stringify(handle.slice(0, 40))}.`, {
      hint: 'synapse changes pending lists those that do.',
    });
  }
}
