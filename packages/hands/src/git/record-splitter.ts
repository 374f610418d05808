const EMPTY = Buffer.alloc(0);

/** A git path is at most 4 KiB; a commit message may be anything. What is longer is cut, in bytes. */
const MAX_RECORD_BYTES = 64 * 1024;

/**
 * Splits a stream at a byte, in bounded memory: a record longer than the limit keeps its beginning.
 * git's `-z` output is records that end in NUL.
 */
export class RecordSplitter {
  readonly #onRecord: (record: Buffer) => void;
  readonly #separator: number;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(onRecord: (record: Buffer) => void, { separator = 0, maxBytes = MAX_RECORD_BYTES } = {}) {
    this.#onRecord = onRecord;
    this.#separator = separator;
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes a chunk.
   * @param until asked after each record; once true, the rest of the chunk is given back unread
   */
  write(chunk: Buffer, until: () => boolean = () => false): Buffer {
    let start = 0;
    for (let end = chunk.indexOf(this.#separator); end !== -1; end = chunk.indexOf(this.#separator, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#emit();
      start = end + 1;
      if (until()) return chunk.subarray(start);
    }
    this.#keep(chunk.subarray(start));
    return EMPTY;
  }

  /** Gives out what came after the last separator. */
  end(): void {
    if (this.#size > 0) this.#emit();
  }

  #keep(part: Buffer): void {
    const kept = part.subarray(0, this.#maxBytes - this.#size);
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#size += kept.length;
  }

  #emit(): void {
    const [only = EMPTY] = this.#parts;
    const record = this.#parts.length > 1 ? Buffer.concat(this.#parts) : only;
    this.#parts = [];
    this.#size = 0;
    this.#onRecord(record);
  }
}

/** The whole records of a finished `-z` output. */
export function splitRecords(bytes: Buffer): Buffer[] {
  const records: Buffer[] = [];
  const splitter = new RecordSplitter((record) => records.push(record));
  splitter.write(bytes);
  splitter.end();
  return records;
}
