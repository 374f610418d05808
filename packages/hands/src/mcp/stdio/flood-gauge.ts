/** What a peer may send that nobody asked for. */
export interface FloodLimits {
  /** Messages at once, and so many more in each second. */
  readonly burst: number;
  readonly perSecond: number;
  /** Bytes at once, and so many more in each second. */
  readonly burstBytes: number;
  readonly bytesPerSecond: number;
}

/** Far above what any real server sends, far below what keeps a processor busy. */
export const FLOOD_LIMITS: FloodLimits = {
  burst: 5_000,
  perSecond: 500,
  burstBytes: 32 * 1024 * 1024,
  bytesPerSecond: 2 * 1024 * 1024,
};

/** Tells a chatty peer from one that floods: a bucket of messages and one of bytes, both refilled by time. */
export class FloodGauge {
  readonly #limits: FloodLimits;
  readonly #now: () => number;
  #messages: number;
  #bytes: number;
  #at: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(limits: FloodLimits = FLOOD_LIMITS, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#messages = limits.burst;
    this.#bytes = limits.burstBytes;
    this.#at = now();
  }

  /** Counts a message; false once it is too much. */
  take(bytes: number): boolean {
    const now = this.#now();
    const seconds = (now - this.#at) / 1_000;
    this.#at = now;
    this.#messages = Math.min(this.#limits.burst, this.#messages + seconds * this.#limits.perSecond) - 1;
    this.#bytes = Math.min(this.#limits.burstBytes, this.#bytes + seconds * this.#limits.bytesPerSecond) - bytes;
    return this.#messages >= 0 && this.#bytes >= 0;
  }
}
