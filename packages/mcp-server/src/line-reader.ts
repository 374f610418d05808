import { randomUUID } from 'node:crypto';

const NEWLINE = 0x0a;
/** Bytes kept of each end of a line that is too long, to find the id to answer. */
const END_BYTES = 256;

/** Receives the lines of a byte stream. */
interface LineListener {
  line(text: string): void;
  /** A line over the limit; only its ends are kept. */
  tooLong(head: string, tail: string): void;
}

/**
 * Splits a byte stream into lines. Each byte is read once and copied at most once, regardless of the
 * chunks. A line over the limit is dropped as it arrives: it never fills the memory.
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
    // Decoded as a whole: a character may span chunks.
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

/** Characters from which a text is written in pieces, and the size of a piece. */
export const PIECE_LENGTH = 64 * 1024;
/** Placeholder for a text written in pieces; random, so that no other text can match it. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}"`, 'u');

/** Whether a message has a long text; in results, texts are in `content`. */
export function isLong(message: object): boolean {
  const { result } = message as { readonly result?: { readonly content?: unknown } };
  const content = result?.content;
  return (
    Array.isArray(content) &&
    content.some((block: { readonly text?: unknown }) => typeof block.text === 'string' && block.text.length >= PIECE_LENGTH)
  );
}

/**
 * Serializes a message as a line, with long texts in pieces: the other side reads one while the next is created. A split
 * surrogate pair is written as two escapes, which denote the same text.
 */
export function* linePieces(message: object): Generator<string> {
  const texts: string[] = [];
  const frame = JSON.stringify(message, (_, value: unknown) => {
    if (typeof value !== 'string' || value.length < PIECE_LENGTH) return value;
    texts.push(value);
    return MARK;
  });
  for (const [index, between] of frame.split(MARKED).entries()) {
    const text = index === 0 ? undefined : texts[index - 1];
    if (text !== undefined) {
      for (let start = 0; start < text.length; start += PIECE_LENGTH) yield JSON.stringify(text.slice(start, start + PIECE_LENGTH)).slice(1, -1);
    }
    yield `${text === undefined ? '' : '"'}${between}${index < texts.length ? '"' : '\n'}`;
  }
}
