/** Bytes that one command may send by default: more than the largest package that registries take, and far less than a disk. */
const DEFAULT_BYTES = 64 * 2 ** 20;
const MIB = 2 ** 20;

/** Counts what one command sends to other machines, and bounds it. */
export class SentBudget {
  readonly #limit: number;
  #sent = 0;

  constructor(limit = DEFAULT_BYTES) {
    this.#limit = limit;
  }

  /** Counts bytes before they are sent. Returns whether they may be. */
  take(bytes: number): boolean {
    this.#sent += bytes;
    return this.#sent <= this.#limit;
  }

  /** Why no more may be sent; undefined if it may. */
  get refusal(): string | undefined {
    if (this.#sent <= this.#limit) return undefined;
    const limit = Number((this.#limit / MIB).toFixed(1));
    return `a command sends at most ${limit} MiB to other machines; a person raises network.maxSentMiB in the configuration`;
  }
}
