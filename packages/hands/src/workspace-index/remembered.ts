/** What no event tells of, such as a write through a memory map, counts after so long at the latest; in milliseconds. */
const MAX_AGE_MS = 60_000;
const MAX_ANSWERS = 16;

interface Answer<T> {
  readonly version: number;
  readonly at: number;
  readonly value: T;
}

/** Knows the version of a workspace. */
export interface Versions {
  /** Differs after any change; undefined where that is not known. */
  version(): Promise<number | undefined>;
}

/** Remembers answers about a workspace for as long as nothing in it changes, and a minute at most. */
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
   * Gives the answer to a question, worked out where it is not known.
   *
   * @param isWhole whether an answer may be given again
   */
  async get(question: string, work: () => Promise<T>, isWhole: (answer: T) => boolean = () => true): Promise<T> {
    const version = await this.#versions.version();
    const known = this.#answers.get(question);
    if (known !== undefined && known.version === version && this.#now() - known.at < MAX_AGE_MS) return known.value;
    this.#answers.delete(question);
    const at = this.#now();
    const value = await work();
    // Of what changed while it was worked out, it may have seen some and some not.
    if (version === undefined || !isWhole(value) || (await this.#versions.version()) !== version) return value;
    this.#answers.set(question, { version, at, value });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return value;
  }
}
