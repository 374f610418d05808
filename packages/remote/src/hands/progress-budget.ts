/** Characters of progress that are sent at once, and per millisecond after that: far more than anyone can follow. */
const BURST = 524_288;
const PER_MS = 512;

/**
 * Limits the progress of a call that prints faster than anyone reads. What is left out can be read again at the machine, by its offset.
 * Without a limit, all of it would go to a relay, which drops it if the reader is slow.
 */
export class ProgressBudget {
  #left = BURST;
  #at: number;

  /** @param now in milliseconds */
  constructor(now: number) {
    this.#at = now;
  }

  /** Whether so many characters may be sent now. */
  take(size: number, now: number): boolean {
    this.#left = Math.min(BURST, this.#left + Math.max(0, now - this.#at) * PER_MS);
    this.#at = now;
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }
}
