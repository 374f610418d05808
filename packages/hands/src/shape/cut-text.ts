import type { Truncation } from '@synapse/protocol';
import { count } from '../text/amounts.ts';
import type { Limits } from '../limits.ts';

/** Which part of a text over the limit is kept. */
export type Keep = 'head' | 'ends';

/** Of what may be shown, this share goes to the beginning; errors mostly stand at the end. */
export const HEAD_SHARE = 0.2;
/** Of what may be shown, at most this share goes to error lines from the middle. */
const ERROR_SHARE = 0.15;
/** Kept free for the lines that say what is left out. */
const FRAME = { bytes: 200, lines: 4 };
/** Below this there is no room for two ends and a frame. */
const SMALLEST = { bytes: 1024, lines: 16 };

/** A line from the middle of a text. */
export interface ErrorLine {
  /** Where it begins in the text, in UTF-16 units. */
  readonly at: number;
  /** The line, or its beginning where it is long; no line end. */
  readonly text: string;
}

/** A long text: its beginning, its end, and lines from between that look like errors. */
export interface LongText {
  /** At least as much of the beginning as may be shown, in UTF-16 units. */
  readonly head: string;
  /** The same of the end; empty where `head` is the whole text. */
  readonly tail: string;
  /** In the order of the text. */
  readonly errors: readonly ErrorLine[];
  readonly totalBytes: number;
  readonly totalLines: number;
  /** UTF-16 units. */
  readonly totalLength: number;
}

/** How much text there may be. */
interface Budget {
  readonly bytes: number;
  readonly lines: number;
}

/** Bytes and lines of a text. */
export function shownSizes(text: string): { bytes: number; lines: number } {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return { bytes: Buffer.byteLength(text), lines: lines + Number(text !== '' && !text.endsWith('\n')) };
}

const part = (budget: Budget, share: number): Budget => ({ bytes: Math.floor(budget.bytes * share), lines: Math.floor(budget.lines * share) });
const less = (budget: Budget, used: Budget): Budget => ({
  bytes: Math.max(0, budget.bytes - used.bytes),
  lines: Math.max(0, budget.lines - used.lines),
});

/** The longest beginning within a budget; whole lines, unless that would leave most of it unused. */
export function takeHead(text: string, { bytes, lines }: Budget): string {
  if (bytes <= 0 || lines <= 0) return '';
  const fits = text.slice(0, new TextEncoder().encodeInto(text.slice(0, bytes), new Uint8Array(bytes)).read);
  let end = 0;
  for (let taken = 0; taken < lines; taken += 1) {
    const newline = fits.indexOf('\n', end);
    if (newline === -1) {
      // The rest is a part of a line, or the end of the text.
      return fits.length === text.length || end < fits.length / 2 ? fits : fits.slice(0, end);
    }
    end = newline + 1;
  }
  return fits.slice(0, end);
}

/** The longest suffix of a text in so many bytes that begins with a whole character. */
function suffix(text: string, bytes: number): string {
  const encoded = Buffer.from(text.slice(-bytes), 'utf8');
  let start = Math.max(0, encoded.length - bytes);
  while (start < encoded.length && ((encoded[start] ?? 0) & 0xc0) === 0x80) start += 1;
  const cut = encoded.subarray(start).toString('utf8');
  // A pair that the slice split has become a replacement character, which is no part of the text.
  const splitsPair = /^[\uDC00-\uDFFF]/.test(text.slice(-bytes)) && cut.length === Math.min(bytes, text.length);
  return splitsPair ? cut.slice(1) : cut;
}

/** The longest end within a budget; whole lines, unless that would leave most of it unused. */
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

/** The error lines between two places of a text, as many as there is room for. */
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
  // First as if the error lines took their whole share; what they do not take, the tail gets back.
  const least = takeTail(after, less(rest, share));
  const errors = between(long.errors, head.length, long.totalLength - least.length, share);
  const tail = takeTail(after, less(rest, errors.used));
  const told = errors.lines.filter(({ at }) => at < long.totalLength - tail.length);
  const lines = long.totalLines - shownSizes(head).lines - shownSizes(tail).lines;
  const gap = lines > 0 ? count(lines, 'line') : count(long.totalBytes - Buffer.byteLength(head) - Buffer.byteLength(tail), 'byte');
  const middle =
    told.length === 0 ? '' : `[lines from there that look like errors]\n${told.map(({ text }) => `${text}\n`).join('')}[end of these lines]\n`;
  return `${head}${head === '' || head.endsWith('\n') ? '' : '\n'}[… ${gap} left out …]\n${middle}${tail}`;
}

/** Cuts a long text to what may be shown, and says which limit it was cut by. */
export function cutText(long: LongText, limits: Limits, keep: Keep): { text: string; by: 'bytes' | 'lines' | undefined } {
  const by = long.totalBytes > limits.outputBytes ? 'bytes' : long.totalLines > limits.outputLines ? 'lines' : undefined;
  if (by === undefined) return { text: long.head + long.tail, by };
  const roomy = limits.outputBytes >= SMALLEST.bytes && limits.outputLines >= SMALLEST.lines;
  if (keep === 'ends' && roomy) return { text: cutEnds(long, limits), by };
  return { text: takeHead(long.head, { bytes: limits.outputBytes, lines: limits.outputLines }), by: by satisfies Truncation['by'] };
}
