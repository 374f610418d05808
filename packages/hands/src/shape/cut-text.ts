import type { Truncation } from '@synapse/protocol';
import type { Limits } from '../limits.ts';

/** Which part of a text over the limit is kept. */
export type Keep = 'head' | 'ends';

/** Of what may be shown, this share goes to the beginning; errors mostly stand at the end. */
const HEAD_SHARE = 0.2;
/** Of what may be shown, at most this share goes to error lines from the middle. */
const ERROR_SHARE = 0.15;

/** A long text: its beginning, its end, and lines from between that look like errors. */
export interface LongText {
  readonly head: string;
  /** Empty where `head` is the whole text. */
  readonly tail: string;
  readonly errors: readonly string[];
  readonly totalBytes: number;
  readonly totalLines: number;
}

/** Bytes and lines of a text. */
export function shownSizes(text: string): { bytes: number; lines: number } {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return { bytes: Buffer.byteLength(text), lines: lines + Number(text !== '' && !text.endsWith('\n')) };
}

function within(text: string, bytes: number): boolean {
  // A UTF-16 unit is at most 3 bytes of UTF-8: only where that might not fit are bytes counted.
  return text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes;
}

/** The longest beginning, in whole lines where it can, that keeps to both limits. */
function takeHead(text: string, bytes: number, lines: number): string {
  let end = 0;
  for (let count = 0; count < lines; count += 1) {
    const newline = text.indexOf('\n', end);
    const next = newline === -1 ? text.length : newline + 1;
    if (!within(text.slice(0, next), bytes)) break;
    end = next;
    if (newline === -1) break;
  }
  return end > 0
    ? text.slice(0, end)
    : Buffer.from(text.slice(0, bytes))
        .subarray(0, bytes)
        .toString('utf8')
        .replace(/\ufffd$/u, '');
}

/** The longest end, in whole lines where it can, that keeps to both limits. */
function takeTail(text: string, bytes: number, lines: number): string {
  let start = text.length;
  for (let count = 0; count < lines && start > 0; count += 1) {
    const newline = text.lastIndexOf('\n', start - 2);
    if (!within(text.slice(newline + 1), bytes)) break;
    start = newline + 1;
  }
  if (start < text.length) return text.slice(start);
  const raw = Buffer.from(text.slice(-bytes));
  return raw
    .subarray(Math.max(0, raw.length - bytes))
    .toString('utf8')
    .replace(/^\ufffd+/u, '');
}

/** Cuts a long text to what may be shown, and says which limit it was cut by. */
export function cutText(long: LongText, limits: Limits, keep: Keep): { text: string; by: Truncation['by'] | undefined } {
  const by = long.totalBytes > limits.outputBytes ? 'bytes' : long.totalLines > limits.outputLines ? 'lines' : undefined;
  if (by === undefined) return { text: long.head + long.tail, by };
  if (keep === 'head') return { text: takeHead(long.head, limits.outputBytes, limits.outputLines), by };
  const head = takeHead(long.head, limits.outputBytes * HEAD_SHARE, limits.outputLines * HEAD_SHARE);
  const errors = takeHead(long.errors.map((line) => `${line}\n`).join(''), limits.outputBytes * ERROR_SHARE, limits.outputLines * ERROR_SHARE);
  const rest = 1 - HEAD_SHARE - ERROR_SHARE;
  const tail = takeTail(long.head.slice(head.length) + long.tail, limits.outputBytes * rest, limits.outputLines * rest);
  const shown = shownSizes(head).lines + shownSizes(tail).lines;
  const left = Math.max(0, long.totalLines - shown);
  const missing = errors.split('\n').filter((line) => line !== '' && !tail.includes(line) && !head.includes(line));
  const middle = missing.length === 0 ? '' : `[lines from there that look like errors]\n${missing.join('\n')}\n[end of these lines]\n`;
  const gap = left > 0 ? `${left} lines` : `${Math.max(0, long.totalBytes - Buffer.byteLength(head) - Buffer.byteLength(tail))} bytes`;
  const separator = head === '' || head.endsWith('\n') ? '' : '\n';
  return { text: `${head}${separator}[… ${gap} left out …]\n${middle}${tail}`, by };
}
