/** Limits for unrequested messages of a peer. */
export interface FloodLimits {
  /** Messages at once, and additional ones per second. */
  readonly burst: number;
  readonly perSecond: number;
  /** Bytes at once, and additional ones per second. */
  readonly burstBytes: number;
  readonly bytesPerSecond: number;
}

/** Far above what real servers send, far below what keeps a processor busy. */
export const FLOOD_LIMITS: FloodLimits = {
  burst: 5_000,
  perSecond: 500,
  burstBytes: 32 * 1024 * 1024,
  bytesPerSecond: 2 * 1024 * 1024,
};

/** Detects floods with two token buckets, one for messages and one for bytes. */
export class FloodGauge {
  readonly #limits: FloodLimits;
  readonly #now: () => number;
  #messages: number;
  #bytes: number;
  #at: number;

  /** @param now milliseconds of a monotonic clock */
  constructor(limits: FloodLimits = FLOOD_LIMITS, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#messages = limits.burst;
    this.#bytes = limits.burstBytes;
    this.#at = now();
  }

  /** Counts a message; returns false if it exceeds the limits. */
  take(bytes: number): boolean {
    const now = this.#now();
    const seconds = (now - this.#at) / 1_000;
    this.#at = now;
    this.#messages = Math.min(this.#limits.burst, this.#messages + seconds * this.#limits.perSecond) - 1;
    this.#bytes = Math.min(this.#limits.burstBytes, this.#bytes + seconds * this.#limits.bytesPerSecond) - bytes;
    return this.#messages >= 0 && this.#bytes >= 0;
  }
}
