/** Maximum size of a record, in bytes, that is kept unchanged. */
const WHOLE_BYTES = 64 * 1024;
/** Maximum number of bytes kept of each string of a longer record; enough to recognize a line. */
const STRING_BYTES = 4 * 1024;
/** Maximum number of bytes kept of a longer record. If its strings need more, it is discarded. */
const CUT_BYTES = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;

/** Returns the end of the last complete character or escape of a cut JSON string. */
function wholeEnd(raw: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = raw[at] ?? 0;
    let length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (byte === BACKSLASH) length = raw[at + 1] === 0x75 ? 6 : 2;
    if (at + length > end) break;
    at += length;
  }
  return at;
}

/** Shortens one long record to the beginning of each of its strings. The result is valid JSON. */
class LongRecord {
  readonly #kept = Buffer.allocUnsafe(CUT_BYTES);
  #length = 0;
  #inString = false;
  #escaped = false;
  #stringStart = 0;
  #overflow = false;

  write(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && !this.#overflow) {
      const isFull = this.#inString && this.#length - this.#stringStart === STRING_BYTES;
      if (isFull && !this.#escaped) at = this.#skip(bytes, at);
      else this.#take(bytes[at++] ?? 0, isFull);
    }
  }

  #take(byte: number, isFull: boolean): void {
    if (!this.#inString) {
      this.#keep(byte);
      this.#inString = byte === QUOTE;
      this.#stringStart = this.#length;
    } else if (byte === QUOTE && !this.#escaped) {
      if (isFull) this.#length = wholeEnd(this.#kept, this.#stringStart, this.#length);
      this.#keep(byte);
      this.#inString = false;
    } else {
      if (!isFull) this.#keep(byte);
      this.#escaped = byte === BACKSLASH && !this.#escaped;
    }
  }

  /** Skips the rest of a full string up to its quote. Going byte by byte would take seconds. */
  #skip(bytes: Buffer, start: number): number {
    for (let at = start; ;) {
      const quote = bytes.indexOf(QUOTE, at);
      const end = quote === -1 ? bytes.length : quote;
      let slashes = 0;
      while (end - slashes > at && bytes[end - slashes - 1] === BACKSLASH) slashes += 1;
      const isEscaped = slashes % 2 === 1;
      if (quote === -1) {
        this.#escaped = isEscaped;
        return end;
      }
      if (!isEscaped) {
        this.#take(QUOTE, true);
        return quote + 1;
      }
      at = quote + 1;
    }
  }

  finish(): Buffer | undefined {
    return this.#overflow ? undefined : this.#kept.subarray(0, this.#length);
  }

  #keep(byte: number): void {
    if (this.#length === CUT_BYTES) this.#overflow = true;
    else this.#kept[this.#length++] = byte;
  }
}

/**
 * Splits a stream of JSON records, one per line, independent of its chunks. Memory is bounded: the
 * strings of a long record are cut, since a line of a file can have any length.
 */
export class JsonLineSplitter {
  #parts: Buffer[] = [];
  #length = 0;
  #long: LongRecord | undefined;

  /** Adds a chunk; yields the records that it completes, and undefined for a record that was too long. */
  *push(chunk: Buffer): Generator<Buffer | undefined> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end);
      start = end + 1;
      if (this.#length === 0 && rest.length <= WHOLE_BYTES) {
        yield rest;
        continue;
      }
      this.#add(rest);
      const record = this.#long === undefined ? Buffer.concat(this.#parts) : this.#long.finish();
      this.#parts = [];
      this.#length = 0;
      this.#long = undefined;
      yield record;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#long === undefined && this.#length > WHOLE_BYTES) {
      this.#long = new LongRecord();
      for (const earlier of this.#parts) this.#long.write(earlier);
      this.#parts = [];
    }
    if (this.#long === undefined) this.#parts.push(part);
    else this.#long.write(part);
  }
}
