const EMPTY = Buffer.alloc(0);

/** Maximum number of bytes in a record; the rest is cut. A git path has at most 4 KiB, but a commit message can have any length. */
const MAX_RECORD_BYTES = 64 * 1024;

/**
 * Splits a stream at a byte in bounded memory. Only the beginning of a record beyond the limit is kept. In
 * git's `-z` output, each record ends in NUL.
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
   * Processes a chunk.
   * @param until called after each record; once it returns true, the rest of the chunk is returned unread
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

  /** Emits the record after the last separator. */
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

/** Splits a complete `-z` output into records. */
export function splitRecords(bytes: Buffer): Buffer[] {
  const records: Buffer[] = [];
  const splitter = new RecordSplitter((record) => records.push(record));
  splitter.write(bytes);
  splitter.end();
  return records;
}
