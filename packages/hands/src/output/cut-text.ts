import { count } from '../text/amounts.ts';
import type { Limits } from './limits.ts';

/** Which parts of a text beyond the limit are kept. */
export type Keep = 'head' | 'ends';

/** Share of the shown output for the beginning. Errors are mostly at the end. */
export const HEAD_SHARE = 0.2;
/** Maximum share of the shown output for error lines from the middle, each with the lines after it. */
const ERROR_SHARE = 0.35;
/** Maximum share of the shown output for lines with totals, which a table behind them may push out of the end. */
const TOTAL_SHARE = 0.15;
/** Reserved for the lines that describe what is omitted. */
const FRAME = { bytes: 200, lines: 4 };
/** The smallest limits with room for both ends and a marker. */
const SMALLEST = { bytes: 1024, lines: 16 };

/** A line from the middle of a text. */
export interface ErrorLine {
  /** Offset of the line in the text, in UTF-16 units. */
  readonly at: number;
  /** The line or its beginning, without the line end. */
  readonly text: string;
}

/** A long text: its beginning, its end, and lines in between that look like errors. */
export interface LongText {
  /** The beginning, at least as long as the output limit in UTF-16 units. */
  readonly head: string;
  /** The end, with the same minimum length; empty if `head` is the whole text. */
  readonly tail: string;
  /** In text order. */
  readonly errors: readonly ErrorLine[];
  /** Lines that report totals, such as those of tests; in text order. Default: none. */
  readonly totals?: readonly ErrorLine[];
  readonly totalBytes: number;
  readonly totalLines: number;
  /** In UTF-16 units. */
  readonly totalLength: number;
}

/** Maximum size of a text. */
interface Budget {
  readonly bytes: number;
  readonly lines: number;
}

/** Returns the number of bytes and lines of a text. */
export function shownSizes(text: string): { bytes: number; lines: number } {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return { bytes: Buffer.byteLength(text), lines: lines + Number(text !== '' && !text.endsWith('\n')) };
}

/** Maximum number of pieces before they are joined. Each piece takes as much memory as a few dozen characters. */
const MAX_PIECES = 256;

/** Keeps the end of a text that arrives in pieces, without copying pieces that are dropped soon after. */
export class TextTail {
  readonly #length: number;
  #pieces: string[] = [];
  #held = 0;

  /** @param length number of UTF-16 units to keep; up to one additional piece may be kept */
  constructor(length: number) {
    this.#length = length;
  }

  add(text: string): void {
    if (text === '') return;
    this.#pieces.push(text);
    this.#held += text.length;
    let drop = 0;
    for (let first = this.#pieces[drop]; first !== undefined && this.#held - first.length >= this.#length; first = this.#pieces[drop]) {
      this.#held -= first.length;
      drop += 1;
    }
    if (drop > 0) this.#pieces.splice(0, drop);
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [this.#pieces.join('')];
  }

  get text(): string {
    return this.#pieces.join('');
  }
}

const part = (budget: Budget, share: number): Budget => ({ bytes: Math.floor(budget.bytes * share), lines: Math.floor(budget.lines * share) });
const less = (budget: Budget, used: Budget): Budget => ({
  bytes: Math.max(0, budget.bytes - used.bytes),
  lines: Math.max(0, budget.lines - used.lines),
});

/** Returns the longest beginning within a budget: whole lines, unless that would leave most of it unused. */
export function takeHead(text: string, { bytes, lines }: Budget): string {
  if (bytes <= 0 || lines <= 0) return '';
  const fits = text.slice(0, new TextEncoder().encodeInto(text.slice(0, bytes), new Uint8Array(bytes)).read);
  let end = 0;
  for (let taken = 0; taken < lines; taken += 1) {
    const newline = fits.indexOf('\n', end);
    if (newline === -1) {
      // The rest is part of a line, or the end of the text.
      return fits.length === text.length || end < fits.length / 2 ? fits : fits.slice(0, end);
    }
    end = newline + 1;
  }
  return fits.slice(0, end);
}

/** Returns the longest suffix of at most `bytes` bytes that begins with a whole character. */
function suffix(text: string, bytes: number): string {
  const encoded = Buffer.from(text.slice(-bytes), 'utf8');
  let start = Math.max(0, encoded.length - bytes);
  while (start < encoded.length && ((encoded[start] ?? 0) & 0xc0) === 0x80) start += 1;
  const cut = encoded.subarray(start).toString('utf8');
  // If the slice split a surrogate pair, the replacement character is not part of the text.
  const splitsPair = /^[\uDC00-\uDFFF]/.test(text.slice(-bytes)) && cut.length === Math.min(bytes, text.length);
  return splitsPair ? cut.slice(1) : cut;
}

/** Returns the longest end within a budget: whole lines, unless that would leave most of it unused. */
export function takeTail(text: string, { bytes, lines }: Budget): string {
  if (bytes <= 0 || lines <= 0) return '';
  const fits = suffix(text, bytes);
  let start = fits.length;
  for (let taken = 0; taken < lines; taken += 1) {
    const newline = start < 2 ? -1 : fits.lastIndexOf('\n', start - 2);
    if (newline === -1) {
      return fits.length === text.length || start > fits.length / 2 ? fits : fits.slice(start);
    }
    start = newline + 1;
  }
  return fits.slice(start);
}

/** Returns the error lines between two offsets of a text, as many as fit. */
function between(errors: readonly ErrorLine[], from: number, to: number, budget: Budget): { lines: ErrorLine[]; used: Budget } {
  const lines: ErrorLine[] = [];
  let bytes = 0;
  for (const line of errors) {
    if (line.at < from || line.at >= to) continue;
    const size = Buffer.byteLength(line.text) + 1;
    if (bytes + size > budget.bytes || lines.length >= budget.lines) break;
    bytes += size;
    lines.push(line);
  }
  return { lines, used: { bytes, lines: lines.length } };
}

function cutEnds(long: LongText, limits: Limits): string {
  const room = less({ bytes: limits.outputBytes, lines: limits.outputLines }, FRAME);
  const head = takeHead(long.head, part(room, HEAD_SHARE));
  const after = long.head.slice(head.length) + long.tail;
  const rest = less(room, shownSizes(head));
  const share = part(room, ERROR_SHARE);
  // First assume that the error lines use their whole share. The tail gets what they leave unused.
  const least = takeTail(after, less(rest, share));
  const totals = between(long.totals ?? [], head.length, long.totalLength - least.length, part(room, TOTAL_SHARE));
  const errors = between(long.errors, head.length, long.totalLength - least.length, less(share, totals.used));
  const tail = takeTail(after, less(rest, { bytes: errors.used.bytes + totals.used.bytes, lines: errors.used.lines + totals.used.lines }));
  const isLeftOut = ({ at }: ErrorLine): boolean => at < long.totalLength - tail.length;
  const told = errors.lines.filter(isLeftOut);
  const shown = new Set(told.map(({ at }) => at));
  const summed = totals.lines.filter((line) => isLeftOut(line) && !shown.has(line.at));
  const lines = long.totalLines - shownSizes(head).lines - shownSizes(tail).lines;
  const gap = lines > 0 ? count(lines, 'line') : count(long.totalBytes - Buffer.byteLength(head) - Buffer.byteLength(tail), 'byte');
  const middle =
    told.length === 0
      ? ''
      : `[lines from there that look like errors, and what follows each]\n${told.map(({ text }) => `${text}\n`).join('')}[end of these lines]\n`;
  const sums = summed.length === 0 ? '' : `[totals from there]\n${summed.map(({ text }) => `${text}\n`).join('')}[end of the totals]\n`;
  return `${head}${head === '' || head.endsWith('\n') ? '' : '\n'}[… ${gap} left out …]\n${middle}${sums}${tail}`;
}

/** Cuts a text that exceeds the limits. */
export function cutText(long: LongText, limits: Limits, keep: Keep): string {
  const roomy = limits.outputBytes >= SMALLEST.bytes && limits.outputLines >= SMALLEST.lines;
  if (keep === 'ends' && roomy) return cutEnds(long, limits);
  return takeHead(long.head, { bytes: limits.outputBytes, lines: limits.outputLines });
}
