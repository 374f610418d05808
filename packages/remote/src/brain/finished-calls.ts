import type { FinishedCall } from '@synapse/protocol/remote';

/** Maximum number of finished calls to remember, for repeated results. */
const MAX_DONE = 10_000;

/** The results of calls, and the hashes of calls that were made here, by id. */
export class FinishedCalls {
  readonly #results = new Map<string, FinishedCall>();
  readonly #hashes = new Map<string, string>();

  /** Notes the hash of a call. Returns whether its id was used for another one. */
  isReused(id: string, hash: string): boolean {
    const known = this.#hashes.get(id) ?? hash;
    this.#hashes.set(id, known);
    return known !== hash;
  }

  get(id: string): FinishedCall | undefined {
    return this.#results.get(id);
  }

  add(id: string, result: FinishedCall): void {
    this.#results.set(id, result);
    const [oldest] = this.#results.keys();
    if (this.#results.size <= MAX_DONE || oldest === undefined) return;
    this.#results.delete(oldest);
    this.#hashes.delete(oldest);
  }
}
