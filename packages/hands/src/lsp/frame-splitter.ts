/** A header has two short lines. */
const MAX_HEADER_BYTES = 8 * 1024;
/** All diagnostics of a large file are a tenth of it. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const END_OF_HEADER = '\r\n\r\n';

/** Cuts the stream of a language server into messages, by bytes. Holds no more than one message of bounded size. */
export class FrameSplitter {
  #header = Buffer.alloc(0);
  #body: Buffer[] = [];
  /** Bytes of the body that are still to come; undefined while a header is read. */
  #missing: number | undefined;

  /**
   * The messages that are complete with these bytes.
   *
   * @throws RangeError for what is no such stream, or a message that is too large; nothing can be read from it then
   */
  push(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#missing === undefined) {
        const before = this.#header.length;
        const header = Buffer.concat([this.#header, rest.subarray(0, MAX_HEADER_BYTES + END_OF_HEADER.length)]);
        const end = header.indexOf(END_OF_HEADER);
        if (end === -1) {
          if (header.length > MAX_HEADER_BYTES) throw new RangeError('a header without an end');
          this.#header = header;
          return messages;
        }
        this.#missing = contentLength(header.toString('latin1', 0, end));
        this.#header = Buffer.alloc(0);
        rest = rest.subarray(end + END_OF_HEADER.length - before);
      }
      const part = rest.subarray(0, this.#missing);
      this.#body.push(part);
      this.#missing -= part.length;
      rest = rest.subarray(part.length);
      if (this.#missing > 0) continue;
      messages.push(Buffer.concat(this.#body));
      this.#body = [];
      this.#missing = undefined;
    }
    return messages;
  }
}

function contentLength(header: string): number {
  const value = /^content-length:[ \t]*(\d{1,10})[ \t]*$/imu.exec(header)?.[1];
  const length = Number(value ?? Number.NaN);
  if (length > 0 && length <= MAX_MESSAGE_BYTES) return length;
  throw new RangeError(value === undefined ? 'no content length' : 'a message that is too large');
}
