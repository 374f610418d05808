import { SynapseError } from '@synapse/protocol';
import { keepInterrupted } from './abandoned-areas.ts';
import { applyChanges, type OpenChanges, type TransactionParts } from './apply-changes.ts';
import { readArea } from './read-area.ts';
import { pendingIn, type PendingRecord } from './pending-record.ts';
import type { AppliedChanges, ChangeSet, PendingChanges } from './transaction.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Pending changes, opened for reading. Disposing changes nothing. */
export interface PendingTransaction {
  readonly pending: PendingChanges;
  /** The changes, judged again by the current rules and workspace. */
  readonly changes: ChangeSet;
  readonly open: OpenChanges;
  /**
   * Applies them as one change that can be undone. Conflicts wait under a new handle.
   *
   * @param prepare called before, while nothing else applies changes
   */
  apply(prepare?: (open: OpenChanges) => Promise<OpenChanges>): Promise<AppliedChanges>;
}

const told = ({ handle, command, time, why, files, bytes }: PendingRecord): PendingChanges => ({ handle, command, time, why, files, bytes });

/** The pending changes of commands. Later commands do not see them. */
export class PendingStore {
  readonly #areas: string;

  /** @param areas the folder of the workspace's transactions */
  constructor(areas: string) {
    this.#areas = areas;
  }

  /** All pending changes, oldest first. */
  list(): PendingChanges[] {
    keepInterrupted(this.#areas);
    return pendingIn(this.#areas).map(({ record }) => told(record));
  }

  /**
   * Opens pending changes.
   *
   * @throws SynapseError `not_found` for an unknown handle
   */
  async open(handle: string, parts: TransactionParts): Promise<PendingTransaction> {
    const { area, record } = this.#find(handle);
    const read = await readArea(parts, area, record.command);
    const { ReplacedEntries } = await import('./replaced-entries.ts');
    const replaced = ReplacedEntries.read(area.replaced);
    const open: OpenChanges = { area, read, startedAt: BigInt(record.startedAt), command: record.command, replaced };
    return {
      pending: told(record),
      changes: read,
      open,
      // Judged again: the workspace may have changed since, and another process may have applied or dropped them.
      apply: (prepare = async (changes) => changes) =>
        parts.alone(async () => {
          this.#find(handle);
          return await applyChanges(parts, await prepare({ ...open, read: await readArea(parts, area, record.command) }));
        }),
    };
  }

  /**
   * Deletes pending changes permanently. Not while they are applied: their area then contains the only version of what they replace.
   *
   * @throws SynapseError `not_found` for an unknown handle
   */
  async drop(handle: string, { alone, journal }: Pick<TransactionParts, 'alone' | 'journal'>): Promise<PendingChanges> {
    this.#find(handle);
    return await alone(async () => {
      const { area, record } = this.#find(handle);
      await area.settle(journal.database.areas.isKept(area.name));
      return told(record);
    });
  }

  #find(handle: string): { readonly area: TransactionArea; readonly record: PendingRecord } {
    const found = pendingIn(this.#areas).find(({ record }) => record.handle === handle);
    if (found !== undefined) return found;
    throw new SynapseError('not_found', `No pending changes have the handle ${JSON.stringify(handle.slice(0, 40))}.`, {
      hint: 'synapse changes pending lists them.',
    });
  }
}
