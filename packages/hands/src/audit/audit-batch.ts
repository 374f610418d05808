import { type SynapseError, toSynapseError } from '@synapse/protocol';
import { MAX_RECORDS } from './audit-head.ts';
import type { MakeRecord } from './audit-log.ts';

interface Waiting {
  readonly records: readonly MakeRecord[];
  readonly settle: (failure: SynapseError | undefined) => void;
}

/**
 * Writes the records of the calls that end in one turn of the event loop together, at the end of that turn. A write costs as much as
 * a small call, whatever the number of records.
 */
export class AuditBatch implements Disposable {
  readonly #append: (records: readonly MakeRecord[]) => void;
  #waiting: Waiting[] = [];
  /** Set while records wait for the end of the turn. */
  #endOfTurn: NodeJS.Immediate | undefined;

  /** @param append writes all of the records or throws; takes at most {@link MAX_RECORDS} */
  constructor(append: (records: readonly MakeRecord[]) => void) {
    this.#append = append;
  }

  /**
   * Adds records to the next write.
   *
   * @param records at most {@link MAX_RECORDS}, which are written in one step
   * @param settle called with the error if that fails
   */
  add(records: readonly MakeRecord[], settle: Waiting['settle']): void {
    this.#waiting.push({ records, settle });
  }

  /** Writes records at the end of this turn. Resolves with the error if that fails. */
  async write(records: readonly MakeRecord[]): Promise<SynapseError | undefined> {
    const { promise, resolve } = Promise.withResolvers<SynapseError | undefined>();
    this.add(records, resolve);
    this.#endOfTurn ??= setImmediate(() => {
      this.#endOfTurn = undefined;
      this.flush();
    });
    return await promise;
  }

  /** Writes records now, and those that wait before them. Returns the error if that fails. */
  writeNow(records: readonly MakeRecord[]): SynapseError | undefined {
    let failure: SynapseError | undefined;
    this.add(records, (own) => (failure = own));
    this.flush();
    return failure;
  }

  /** Writes all records that wait. */
  flush(): void {
    while (this.#waiting.length > 0) {
      let count = 0;
      const more = this.#waiting.findIndex(({ records }) => (count += records.length) > MAX_RECORDS);
      // At least one, so that this ends.
      const step = this.#waiting.splice(0, more === -1 ? this.#waiting.length : Math.max(more, 1));
      const failure = this.#attempt(step.flatMap(({ records }) => records));
      for (const { settle } of step) settle(failure);
    }
  }

  [Symbol.dispose](): void {
    this.flush();
    clearImmediate(this.#endOfTurn);
    this.#endOfTurn = undefined;
  }

  #attempt(records: readonly MakeRecord[]): SynapseError | undefined {
    try {
      this.#append(records);
      return undefined;
    } catch (error) {
      return toSynapseError(error);
    }
  }
}
