import type { ConsoleEvent } from '@synapse/protocol/console';

/** Number of events kept for pages that reconnect. A page that missed more fetches everything again. */
const KEPT = 5_000;

/** Events of a project, numbered without gaps. Each reader keeps the number of its last event, so no queue per reader is needed. */
export class EventRing {
  readonly #kept: number;
  readonly #listeners = new Set<() => void>();
  #events: ConsoleEvent[] = [];
  /** Number of the first kept event. */
  #first = 1;

  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  /** Number of the newest event; 0 before the first. */
  get last(): number {
    return this.#first + this.#events.length - 1;
  }

  add(event: ConsoleEvent): void {
    this.#events.push(event);
    // Trims at twice the size, so that not every event moves all others.
    if (this.#events.length > this.#kept * 2) {
      this.#events = this.#events.slice(-this.#kept);
      this.#first += this.#kept + 1;
    }
    for (const listener of this.#listeners) listener();
  }

  /** Returns the events after a number; undefined if some of them were dropped, or the number is in the future. */
  since(seq: number, limit: number): readonly ConsoleEvent[] | undefined {
    if (seq < this.#first - 1 || seq > this.last) return undefined;
    const from = seq + 1 - this.#first;
    return this.#events.slice(from, from + limit);
  }

  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
