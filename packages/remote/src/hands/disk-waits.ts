import type { Hands } from '@synapse/hands';
import { INLINE_BYTES, type HandsEffect, type LedgerCall, type LedgerRow } from '@synapse/protocol/remote';
import { onlyReads } from './only-reads.ts';

export type RunEffect = Extract<HandsEffect, { type: 'run' }>;

/** The calls to start after the steps of a turn, and the rows to write, by id. */
export interface Turn {
  readonly starts: readonly RunEffect[];
  readonly rows: ReadonlyMap<string, LedgerRow>;
}

/** What {@link DiskWaits} needs from the machine. */
export interface DiskWaitsOptions {
  /** The hands of a workspace that is open. */
  readonly handsOf: (call: LedgerCall) => Hands | undefined;
  /** Milliseconds for which calls may run whose start is not recorded. */
  readonly recordAfterMs: number;
  /** Milliseconds for which the disk may not have what was written. */
  readonly syncAfterMs: number;
  /** Records the starts of calls that run. */
  readonly record: () => void;
  /** Makes durable what was written. */
  readonly sync: () => void;
}

/**
 * Which turns wait for the disk: those that start a call with an effect, or say for good that a call does not run. Else a loss of power could
 * let a call run twice, or run though it was said not to.
 *
 * A result need not wait. Without its record, its call is one that started, and repeating it answers `interrupted`; one that only reads, reads
 * again. The effect of a call itself may be lost with the power, too.
 */
export class DiskWaits implements Disposable {
  readonly #options: DiskWaitsOptions;
  /** Calls that run, and of whose start the disk knows. */
  readonly #recorded = new Set<string>();
  /** Calls that run, and only read. The disk knows nothing of them yet. */
  readonly #unrecorded = new Set<string>();
  #recording: NodeJS.Timeout | undefined;
  #syncing: NodeJS.Timeout | undefined;

  constructor(options: DiskWaitsOptions) {
    this.#options = options;
  }

  /** Whether a turn need not wait for the disk. Of others, the caller makes everything durable. */
  mayGoOn({ starts, rows }: Turn): boolean {
    const reads = new Set(starts.flatMap(({ id, call }) => (this.#reads(call) ? [id] : [])));
    // A turn without rows may tell about a call that runs.
    const goesOn = rows.size === 0 ? this.#unrecorded.size === 0 : [...rows.values()].every((row) => reads.has(row.id) || this.#hasEnded(row));
    for (const { id, state } of rows.values()) {
      if (state !== 'done') continue;
      this.#recorded.delete(id);
      this.#unrecorded.delete(id);
    }
    for (const { id } of starts) this.#unrecorded.add(id);
    if (!goesOn) this.#allRecorded();
    else if (rows.size > 0) this.soon();
    if (this.#unrecorded.size > 0) this.#recording ??= setTimeout(() => this.#late(), this.#options.recordAfterMs);
    return goesOn;
  }

  /** Something is to be made durable within moments. */
  soon(): void {
    this.#syncing ??= setTimeout(() => {
      this.#syncing = undefined;
      this.#options.sync();
    }, this.#options.syncAfterMs);
  }

  /** A result that does not go with its announcement is read by its call's id, and must then be the one that was announced. */
  #hasEnded({ id, state, result }: LedgerRow): boolean {
    return state === 'done' && (this.#recorded.has(id) || this.#unrecorded.has(id)) && (result?.bytes ?? 0) <= INLINE_BYTES;
  }

  #reads(call: LedgerCall): boolean {
    const hands = this.#options.handsOf(call);
    return hands !== undefined && onlyReads(hands, call);
  }

  #allRecorded(): void {
    for (const id of this.#unrecorded) this.#recorded.add(id);
    this.#unrecorded.clear();
  }

  #late(): void {
    this.#recording = undefined;
    if (this.#unrecorded.size > 0) this.#options.record();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#recording);
    clearTimeout(this.#syncing);
    this.#recording = undefined;
    this.#syncing = undefined;
  }
}
