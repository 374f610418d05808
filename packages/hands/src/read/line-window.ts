import type { Limits } from '../limits.ts';
import { decodeUtf8 } from '../text/decode-utf8.ts';

const NEWLINE = 0x0a;

/** Which lines to show: from `offset` (1 is the first, -1 the last), at most `limit`. */
export interface LineRange {
  readonly offset: number;
  readonly limit: number;
}

/** A stretch of lines of a text. */
export interface LineWindow {
  readonly text: string;
  /** Of the text, in UTF-8. */
  readonly bytes: number;
  /** 1-based; 0 where nothing is shown. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** Which limit ended the window before the range did. */
  readonly cutBy: 'bytes' | 'lines' | undefined;
  /** How many lines were too long and are cut. */
  readonly cutLines: number;
}

/** How many lines a text has; a final newline ends a line and begins none. */
export function countLines(bytes: Buffer): number {
  let count = 0;
  let last = -1;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
    count += 1;
    last = at;
  }
  return count + Number(last + 1 < bytes.length);
}

/** Where the given number of lines after `from` end; also how many lines there were. */
function skipLines(bytes: Buffer, from: number, lines: number): { end: number; lines: number } {
  let end = from;
  for (let count = 0; count < lines; count += 1) {
    if (end >= bytes.length) return { end, lines: count };
    const newline = bytes.indexOf(NEWLINE, end);
    end = newline === -1 ? bytes.length : newline + 1;
  }
  return { end, lines };
}

/** Characters of a line, cut with a mark that no file has by accident. */
function cutLine(line: string, characters: number): string {
  const end = line.endsWith('\r\n') ? '\r\n' : line.endsWith('\n') ? '\n' : '';
  const kept = line.slice(0, characters).replace(/[\ud800-\udbff]$/u, '');
  return `${kept}… [+${line.length - end.length - kept.length} characters]${end}`;
}

/** Takes whole lines while they fit; only where they do not are long lines cut. */
function fitLines(bytes: Buffer, limits: Limits): { text: string; lines: number; cutLines: number; consumed: number } {
  let text = '';
  let room = limits.outputBytes;
  let lines = 0;
  let cutLines = 0;
  let at = 0;
  while (at < bytes.length && room > 0) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    // A character takes at most 4 bytes, so this much is enough to cut a line of any length from.
    const slice = bytes.toString('utf8', at, Math.min(end, at + limits.lineCharacters * 4 + 8));
    const isLong = end - at > limits.lineCharacters * 4 + 8 || slice.length > limits.lineCharacters + 2;
    const line = isLong ? cutLine(end - at > limits.lineCharacters * 4 + 8 ? bytes.toString('utf8', at, end) : slice, limits.lineCharacters) : slice;
    const size = Buffer.byteLength(line);
    if (size > room && lines > 0) break;
    text += line;
    room -= size;
    lines += 1;
    cutLines += Number(isLong);
    at = end;
  }
  return { text, lines, cutLines, consumed: at };
}

/** Cuts the lines of a range out of UTF-8 bytes, within the limits. */
export function lineWindow(bytes: Buffer, totalLines: number, range: LineRange, limits: Limits): LineWindow {
  const first = range.offset > 0 ? range.offset : Math.max(1, totalLines + range.offset + 1);
  const wanted = Math.min(range.limit, limits.outputLines);
  if (first > totalLines) return { text: '', bytes: 0, firstLine: 0, lastLine: 0, cutBy: undefined, cutLines: 0 };
  const start = first === 1 ? 0 : skipLines(bytes, 0, first - 1).end;
  const { end, lines } = first === 1 && wanted >= totalLines ? { end: bytes.length, lines: totalLines } : skipLines(bytes, start, wanted);
  const lastWanted = Math.min(totalLines, first + range.limit - 1);
  if (end - start <= limits.outputBytes) {
    const lastLine = first + lines - 1;
    const cutBy = lastLine < lastWanted ? 'lines' : undefined;
    return { text: decodeUtf8(bytes, start, end), bytes: end - start, firstLine: first, lastLine, cutBy, cutLines: 0 };
  }
  const fit = fitLines(bytes.subarray(start, end), limits);
  const lastLine = first + fit.lines - 1;
  return {
    text: fit.text,
    bytes: Buffer.byteLength(fit.text),
    firstLine: first,
    lastLine,
    cutBy: lastLine < lastWanted || fit.cutLines > 0 ? 'bytes' : undefined,
    cutLines: fit.cutLines,
  };
}
