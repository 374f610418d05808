import { setImmediate as turn } from 'node:timers/promises';
import type { Limits } from '../output/limits.ts';
import type { OpenFile } from '../workspace/open-file.ts';

/** The lines to show: from `offset` (1 is the first line, -1 the last), at most `limit`. */
export interface LineRange {
  readonly offset: number;
  readonly limit: number;
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 128 * 1024;
/** Bytes to search before other tasks get a turn. Without turns nothing could end the search, not even its deadline. */
const TURN_BYTES = 1024 * 1024;

/** A part of a file that is too large to be read whole. */
interface Stretch {
  readonly bytes: Buffer;
  /** Line number of the first line; undefined if counted from the end. */
  readonly firstLine: number | undefined;
}

/** Returns how many bytes to collect. More than the output limit, so that long lines are recognized and cut. */
const stretchBytes = (limits: Limits): number => limits.outputBytes * 2 + CHUNK_BYTES;

/** Finds the last lines by reading backwards. Memory use does not depend on the size of the file. */
async function lastLines(file: OpenFile, lines: number, limits: Limits, signal: AbortSignal): Promise<Stretch> {
  const parts: Buffer[] = [];
  let collected = 0;
  // The newline that ends the last line does not start another.
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

/** Reads the requested part of a large file, without loading the rest into memory. */
export function scanLargeFile(file: OpenFile, range: LineRange, limits: Limits, signal: AbortSignal): Promise<Stretch> {
  return range.offset > 0 ? linesFrom(file, range.offset, limits, signal) : lastLines(file, -range.offset, limits, signal);
}

/** Maximum size of the buffer that is kept, in bytes. A server keeps it for its whole lifetime. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

let kept: Buffer | undefined;

/** Memory that is returned at the end of a scope. Copy the content out before that. */
interface BorrowedMemory extends Disposable {
  readonly bytes: Buffer;
}

/**
 * Lends memory for the bytes of a file. A new megabyte for each read makes the garbage collector walk the
 * whole heap every dozen calls, which takes longer than the read.
 */
export function borrowMemory(length: number): BorrowedMemory {
  const memory = kept !== undefined && kept.length >= length ? kept : Buffer.allocUnsafeSlow(length);
  // Another borrower gets different memory in the meantime.
  if (memory === kept) kept = undefined;
  return {
    bytes: memory.subarray(0, length),
    [Symbol.dispose]() {
      if (memory.length <= MAX_KEPT_BYTES && memory.length > (kept?.length ?? 0)) kept = memory;
    },
  };
}
