import { setImmediate as turn } from 'node:timers/promises';

/** Milliseconds until other work gets a turn. */
const TURN_MS = 6;

/** Keeps long work from blocking the event loop: the work checks it regularly, and yields when its slice is over. */
export class TimeSlice {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since >= TURN_MS;
  }

  /** Yields to other work. */
  async next(): Promise<void> {
    await turn();
    this.#since = performance.now();
  }
}
