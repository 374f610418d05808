import { listSegments } from './audit-folder.ts';
import { readLinks } from './chain.ts';
import { linesBackwards } from './lines-backwards.ts';

/** How much of a log is kept. */
export interface Retention {
  /** A file longer than this is not written on; the chain goes on in the next. */
  readonly segmentBytes: number;
  /** All files together; the oldest go first. */
  readonly totalBytes: number;
  /** Milliseconds since a file was last written, after which it goes. */
  readonly ageMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A call takes about 1 KB: some 500,000 calls, or a bit more than a year. */
export const DEFAULT_RETENTION: Retention = { segmentBytes: 32 * 1024 * 1024, totalBytes: 512 * 1024 * 1024, ageMs: 400 * DAY_MS };

/** The files that are too old or too much, oldest first, with the hash at their end. */
export function expiredSegments(
  folder: string,
  { totalBytes, ageMs }: Retention,
  current: number,
): Array<{ number: number; path: string; last: string }> {
  const segments = listSegments(folder).filter(({ number }) => number < current);
  let total = segments.reduce((sum, { bytes }) => sum + bytes, 0);
  const expired: Array<{ number: number; path: string; last: string }> = [];
  for (const { number, path, bytes, modified } of segments) {
    if (total <= totalBytes && Date.now() - modified <= ageMs) break;
    total -= bytes;
    expired.push({ number, path, last: lastHash(path) });
  }
  return expired;
}

function lastHash(path: string): string {
  for (const { text } of linesBackwards(path)) return readLinks(text)?.hash ?? '';
  return '';
}
