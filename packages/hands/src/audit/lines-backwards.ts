import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** A line without its newline. */
export interface FoundLine {
  readonly text: string;
  /** Position after the newline, in bytes. */
  readonly end: number;
}

/**
 * Yields the complete lines of a file in reverse order; skips an incomplete last line.
 * @param needles texts that a line must contain; other lines are not decoded
 */
export function* linesBackwards(path: string, needles: readonly string[] = []): Generator<FoundLine> {
  const wanted = needles.map((needle) => Buffer.from(needle));
  const fd = openSync(path, 'r');
  try {
    let position = fstatSync(fd).size;
    /** The bytes before the first newline of the following chunk: the end of a line. */
    let rest: Buffer = Buffer.alloc(0);
    let complete = false;
    const found = (line: Buffer, end: number): FoundLine | undefined =>
      complete && line.length > 0 && wanted.every((needle) => line.includes(needle)) ? { text: line.toString('utf8'), end } : undefined;
    while (position > 0) {
      const length = Math.min(CHUNK_BYTES, position);
      const chunk = Buffer.allocUnsafe(length);
      readSync(fd, chunk, 0, length, position - length);
      position -= length;
      let bytes = rest.length === 0 ? chunk : Buffer.concat([chunk, rest]);
      for (let newline = bytes.lastIndexOf(NEWLINE); newline !== -1; newline = bytes.lastIndexOf(NEWLINE)) {
        const line = found(bytes.subarray(newline + 1), position + bytes.length + 1);
        complete = true;
        bytes = bytes.subarray(0, newline);
        if (line !== undefined) yield line;
      }
      rest = bytes;
    }
    const first = found(rest, rest.length + 1);
    if (first !== undefined) yield first;
  } finally {
    closeSync(fd);
  }
}
