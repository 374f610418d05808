/** A list that is read on demand and kept until it changes. */
export class KeptList<Item> {
  readonly #read: () => Promise<readonly Item[]>;
  #kept: Promise<readonly Item[]> | undefined;

  constructor(read: () => Promise<readonly Item[]>) {
    this.#read = read;
  }

  /** Returns the list. After a failure, the next call reads it again. */
  async get(): Promise<readonly Item[]> {
    if (this.#kept !== undefined) return await this.#kept;
    const reading = this.#read();
    this.#kept = reading;
    try {
      return await reading;
    } catch (error) {
      if (this.#kept === reading) this.#kept = undefined;
      throw error;
    }
  }

  forget(): void {
    this.#kept = undefined;
  }
}
