import { setImmediate as turn } from 'node:timers/promises';

/** Other work gets its turn after so many milliseconds. */
const TURN_MS = 6;

/** Keeps long work from blocking the event loop: it asks now and then, and waits where others have waited long enough. */
export class TimeSlice {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since >= TURN_MS;
  }

  /** Lets others have their turn. */
  async next(): Promise<void> {
    await turn();
    this.#since = performance.now();
  }
}
