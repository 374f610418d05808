import { MAX_SPILL_BYTES, type SpillStore, type SpillWriter } from '../workspace/spill-store.ts';

/** Maximum number of bytes held in memory. Shorter output is not written to disk. */
const MEMORY_BYTES = 128 * 1024;

/** Holds the original bytes of an output: in memory while they are few, then in a spill file. */
export class SpillBuffer implements Disposable {
  readonly #store: SpillStore;
  #memory = Buffer.alloc(0);
  #used = 0;
  #writer: SpillWriter | undefined;
  #failed = false;
  #total = 0;

  constructor(store: SpillStore) {
    this.#store = store;
  }

  write(chunk: Uint8Array): void {
    this.#total += chunk.byteLength;
    if (this.#failed) return;
    if (this.#writer === undefined && this.#used + chunk.byteLength <= MEMORY_BYTES) {
      this.#hold(chunk);
      return;
    }
    if (this.#writer === undefined) this.#open();
    this.#attempt(() => this.#writer?.write(chunk));
  }

  /**
   * Writes the bytes to a file if necessary, and closes the file.
   * @returns its handle, and whether it has all bytes; undefined if it could not be written
   */
  keep(): { handle: string; whole: boolean } | undefined {
    if (this.#writer === undefined) this.#open();
    const writer = this.#writer;
    this.#attempt(() => writer?.close());
    this.#writer = undefined;
    return this.#failed || writer === undefined ? undefined : { handle: writer.handle, whole: this.#total <= MAX_SPILL_BYTES };
  }

  /** Passes the held bytes to a function, in order, up to the limit of a spill file. */
  replay(take: (bytes: Uint8Array) => void): void {
    if (this.#writer === undefined) take(this.#memory.subarray(0, this.#used));
    else this.#store.replay(this.#writer.handle, take);
  }

  /** Releases the bytes, and a spill file that was not kept. */
  [Symbol.dispose](): void {
    this.#memory = Buffer.alloc(0);
    const writer = this.#writer;
    this.#writer = undefined;
    this.#attempt(() => writer?.discard());
  }

  #hold(chunk: Uint8Array): void {
    if (this.#used + chunk.byteLength > this.#memory.byteLength) {
      const larger = Buffer.allocUnsafe(Math.min(MEMORY_BYTES, Math.max(1_024, 2 * (this.#used + chunk.byteLength))));
      this.#memory.copy(larger, 0, 0, this.#used);
      this.#memory = larger;
    }
    this.#memory.set(chunk, this.#used);
    this.#used += chunk.byteLength;
  }

  #open(): void {
    this.#attempt(() => {
      this.#writer = this.#store.create();
      this.#writer.write(this.#memory.subarray(0, this.#used));
    });
    this.#memory = Buffer.alloc(0);
    this.#used = 0;
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch {
      // A full disk must not fail the call. The answer says that the rest is not stored.
      this.#failed = true;
      const writer = this.#writer;
      this.#writer = undefined;
      if (writer !== undefined) this.#attempt(() => writer.discard());
    }
  }
}
