import { setImmediate as turn } from 'node:timers/promises';
import type { Limits } from '../limits.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import type { LineRange } from './line-window.ts';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 128 * 1024;
/** So much is looked through before others have their turn; without that nothing could end the search, not even its deadline. */
const TURN_BYTES = 1024 * 1024;

/** A stretch of a file too large to be read whole. */
export interface Stretch {
  readonly bytes: Buffer;
  /** Line number of its first line; undefined where it was found from the end. */
  readonly firstLine: number | undefined;
}

/** How many bytes of a stretch are worth collecting: long lines are cut, but must be seen to be. */
const stretchBytes = (limits: Limits): number => limits.outputBytes * 2 + CHUNK_BYTES;

/** Finds the last lines by reading backwards. Memory does not depend on the file's size. */
async function lastLines(file: OpenFile, lines: number, limits: Limits, signal: AbortSignal): Promise<Stretch> {
  const parts: Buffer[] = [];
  let collected = 0;
  // The newline that ends the last line does not begin another.
  let wanted = lines;
  let position = file.size;
  while (position > 0 && collected < stretchBytes(limits)) {
    signal.throwIfAborted();
    const start = Math.max(0, position - CHUNK_BYTES);
    const chunk = await file.read(start, position - start);
    let at = position === file.size && chunk.at(-1) === NEWLINE ? chunk.length - 1 : chunk.length;
    while (wanted > 0) {
      at = at === 0 ? -1 : chunk.lastIndexOf(NEWLINE, at - 1);
      if (at === -1) break;
      wanted -= 1;
    }
    parts.unshift(wanted === 0 ? chunk.subarray(at + 1) : chunk);
    collected += chunk.length;
    if (wanted === 0) break;
    position = start;
  }
  return { bytes: Buffer.concat(parts), firstLine: undefined };
}

/** Finds a line by reading forwards, chunk by chunk into one buffer, and collects from there. */
async function linesFrom(file: OpenFile, first: number, limits: Limits, signal: AbortSignal): Promise<Stretch> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let line = 1;
  let position = 0;
  let nextTurn = TURN_BYTES;
  while (line < first && position < file.size) {
    if (position >= nextTurn) {
      await turn();
      nextTurn = position + TURN_BYTES;
    }
    signal.throwIfAborted();
    const count = await file.readInto(buffer, position);
    if (count === 0) break;
    let at = -1;
    while (line < first) {
      at = buffer.subarray(0, count).indexOf(NEWLINE, at + 1);
      if (at === -1) break;
      line += 1;
    }
    position += line === first ? at + 1 : count;
  }
  const bytes = line < first ? Buffer.alloc(0) : await file.read(position, stretchBytes(limits));
  return { bytes, firstLine: first };
}

/** Reads the part of a large file that a range asks for, without reading the rest of it into memory. */
export function scanLargeFile(file: OpenFile, range: LineRange, limits: Limits, signal: AbortSignal): Promise<Stretch> {
  return range.offset > 0 ? linesFrom(file, range.offset, limits, signal) : lastLines(file, -range.offset, limits, signal);
}
