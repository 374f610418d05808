/** Maximum milliseconds until a change without an event, such as a write through a memory map, is noticed. */
const MAX_AGE_MS = 60_000;
const MAX_ANSWERS = 16;

interface Answer<T> {
  readonly version: number;
  readonly at: number;
  readonly value: T;
}

/** Provides the version of a workspace. */
export interface Versions {
  /** Returns a value that differs after any change; undefined if unknown. */
  version(): Promise<number | undefined>;
}

/** Caches answers about a workspace until something changes, for at most a minute. */
export class Remembered<T> {
  readonly #versions: Versions;
  readonly #now: () => number;
  readonly #answers = new Map<string, Answer<T>>();

  /** @param now for tests */
  constructor(versions: Versions, now: () => number = () => performance.now()) {
    this.#versions = versions;
    this.#now = now;
  }

  /**
   * Returns the cached answer to a question, or computes it.
   *
   * @param isWhole whether an answer may be cached
   */
  async get(question: string, work: () => Promise<T>, isWhole: (answer: T) => boolean = () => true): Promise<T> {
    const version = await this.#versions.version();
    const known = this.#answers.get(question);
    if (known !== undefined && known.version === version && this.#now() - known.at < MAX_AGE_MS) return known.value;
    this.#answers.delete(question);
    const at = this.#now();
    const value = await work();
    // Changes during the computation may be partly included.
    if (version === undefined || !isWhole(value) || (await this.#versions.version()) !== version) return value;
    this.#answers.set(question, { version, at, value });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return value;
  }
}
