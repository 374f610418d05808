const NUL = 0;
/** Longer than any path of the kernel (PATH_MAX is 4,096): what has no end is no name. */
const MAX_NAME_BYTES = 64 * 1024;

/** Splits a stream of names, each ended by a NUL, wherever its chunks may be cut. */
export class NameSplitter {
  #rest = Buffer.alloc(0);

  *push(chunk: Buffer): Generator<Buffer> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NUL); end !== -1; end = bytes.indexOf(NUL, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    const rest = bytes.subarray(start);
    this.#rest = rest.length > MAX_NAME_BYTES ? Buffer.alloc(0) : Buffer.from(rest);
  }
}
