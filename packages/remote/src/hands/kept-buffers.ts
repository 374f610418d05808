/** Maximum number of results that are kept, and of their bytes. */
const MOST = { count: 32, bytes: 16_777_216 };

/** The results that were read last: a large one is asked for in many parts, and loading it anew for each of them takes the square of its size. */
export class KeptBuffers {
  readonly #kept = new Map<string, Uint8Array>();
  #bytes = 0;

  /** @param load loads a text that is not kept, if there is one. It must not change later. */
  get(name: string, load: () => Uint8Array | undefined): Uint8Array {
    const bytes = this.#kept.get(name) ?? load();
    if (bytes === undefined) return new Uint8Array();
    this.drop(name);
    // The one in use is kept whatever its size.
    this.#kept.set(name, bytes);
    this.#bytes += bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (oldest === name || (this.#kept.size <= MOST.count && this.#bytes <= MOST.bytes)) break;
      this.drop(oldest);
    }
    return bytes;
  }

  /** Lets go of a text that was read to its end. */
  drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.length ?? 0;
    this.#kept.delete(name);
  }
}
