import type { Hands } from '@synapse/hands';
import { INLINE_BYTES, type HandsEffect, type LedgerCall, type LedgerRow } from '@synapse/protocol/remote';

export type RunEffect = Extract<HandsEffect, { type: 'run' }>;

/** The calls to start after the steps of a turn, and the rows to write, by id. */
export interface Turn {
  readonly starts: readonly RunEffect[];
  readonly rows: ReadonlyMap<string, LedgerRow>;
}

/**
 * Whether running a call twice is the same as running it once: its tool only reads, and says that repeating it changes nothing. Calls in
 * a dialect do not count, because one of them may use several tools.
 */
export function onlyReads(hands: Hands, { tool, dialect }: LedgerCall): boolean {
  if (dialect !== undefined) return false;
  const found = hands.tools().find(({ name }) => name === tool);
  return found?.effects === 'read' && found.idempotent === true;
}

/** What {@link UnrecordedReads} needs from the machine. */
export interface ReadsOptions {
  /** The hands of a workspace that is open. */
  readonly handsOf: (call: LedgerCall) => Hands | undefined;
  /** Milliseconds for which a call may run before its start is recorded. */
  readonly recordAfterMs: number;
  /** Records the starts of those that run. */
  readonly record: () => void;
}

/**
 * The calls that only read, and of which the disk knows nothing yet. After a crash, they run again when they are sent again, and still nothing
 * happened twice.
 */
export class UnrecordedReads implements Disposable {
  readonly #options: ReadsOptions;
  readonly #ids = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReadsOptions) {
    this.#options = options;
  }

  /**
   * Whether a turn does nothing but start and end such calls. Then it need not wait for the disk. Of others, the caller records everything.
   *
   * A result that does not go with its announcement is recorded first: it is read by its call's id.
   */
  take({ starts, rows }: Turn): boolean {
    const began = new Set(starts.flatMap(({ id, call }) => (this.#reads(call) ? [id] : [])));
    const hasEnded = ({ id, state, result }: LedgerRow): boolean => this.#ids.has(id) && state === 'done' && (result?.bytes ?? 0) <= INLINE_BYTES;
    if (rows.size === 0 || ![...rows.values()].every((row) => began.has(row.id) || hasEnded(row))) {
      this[Symbol.dispose]();
      return false;
    }
    for (const id of rows.keys()) this.#ids.delete(id);
    for (const id of began) this.#ids.add(id);
    if (began.size > 0) this.#timer ??= setTimeout(() => this.#late(), this.#options.recordAfterMs);
    return true;
  }

  #reads(call: LedgerCall): boolean {
    const hands = this.#options.handsOf(call);
    return hands !== undefined && onlyReads(hands, call);
  }

  #late(): void {
    const isRunning = this.#ids.size > 0;
    this[Symbol.dispose]();
    if (isRunning) this.#options.record();
  }

  /** Forgets all, once they are recorded. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#ids.clear();
  }
}
