import type { FinishedCall } from '@synapse/protocol/remote';

/** Maximum number of finished calls to remember, for repeated results. */
const MAX_DONE = 10_000;
/** Maximum length of their results, as at the machine: it is asked for others. */
const MAX_LENGTH = 67_108_864;

/** The results of calls, and the hashes of calls that were made here, by id. */
export class FinishedCalls {
  readonly #done = new Set<string>();
  readonly #results = new Map<string, FinishedCall>();
  readonly #hashes = new Map<string, string>();
  readonly #mayDrop: (id: string) => boolean;
  readonly #most: number;
  #length = 0;

  /** @param mayDrop whether the caller of a call has its result */
  constructor(mayDrop: (id: string) => boolean, most = MAX_LENGTH) {
    this.#mayDrop = mayDrop;
    this.#most = most;
  }

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
    this.#drop(id);
    this.#results.set(id, result);
    this.#length += result.body.length;
    for (const oldest of this.#results.keys()) {
      if (this.#length <= this.#most || oldest === id) break;
      if (this.#mayDrop(oldest)) this.#drop(oldest);
    }
    this.#done.add(id);
    const [oldest] = this.#done;
    if (this.#done.size <= MAX_DONE || oldest === undefined) return;
    this.#done.delete(oldest);
    this.#drop(oldest);
    this.#hashes.delete(oldest);
  }

  #drop(id: string): void {
    this.#length -= this.#results.get(id)?.body.length ?? 0;
    this.#results.delete(id);
  }
}
