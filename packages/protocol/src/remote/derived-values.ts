import type { Soon } from './seal-key.ts';

/** Keeps values that take time to derive, by name. The oldest are dropped and derived again. */
export class DerivedValues<Value> {
  readonly #most: number;
  readonly #values = new Map<string, Soon<Value>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the value at once if it is there. */
  get(name: string, derive: () => Promise<Value>): Soon<Value> {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#values.keys();
    if (this.#values.size >= this.#most && oldest !== undefined) this.#values.delete(oldest);
    const made = derive().then((value) => {
      if (this.#values.get(name) === made) this.#values.set(name, value);
      return value;
    });
    this.#values.set(name, made);
    return made;
  }
}
