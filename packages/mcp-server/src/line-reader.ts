const NEWLINE = 0x0a;
/** Bytes kept of each end of a line that is too long, to find out whom to answer. */
const END_BYTES = 256;

/** What comes of a stream of bytes. */
export interface LineListener {
  line(text: string): void;
  /** A line over the limit; nothing but its ends was kept. */
  tooLong(head: string, tail: string): void;
}

/**
 * Cuts a stream of bytes into lines. Each byte is looked at once and copied at most once, however the
 * chunks fall, and a line over the limit is dropped while it comes in: it never fills the memory.
 */
export function lineReader(limitBytes: number, listener: LineListener): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let dropping: { head: string; tail: Buffer } | undefined;

  const take = (part: Buffer): void => {
    length += part.length;
    if (dropping !== undefined) {
      dropping.tail = Buffer.concat([dropping.tail, part.subarray(-END_BYTES)]).subarray(-END_BYTES);
      return;
    }
    parts.push(part);
    if (length <= limitBytes) return;
    const whole = Buffer.concat(parts);
    dropping = { head: whole.toString('utf8', 0, END_BYTES), tail: Buffer.from(whole.subarray(-END_BYTES)) };
    parts = [];
  };

  const finish = (): void => {
    const [first] = parts;
    if (dropping !== undefined) listener.tooLong(dropping.head, dropping.tail.toString());
    // Decoded as a whole: a character may be spread over chunks.
    else if (first !== undefined) listener.line((parts.length === 1 ? first : Buffer.concat(parts)).toString());
    parts = [];
    length = 0;
    dropping = undefined;
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}
