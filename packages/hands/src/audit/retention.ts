import { listSegments } from './audit-folder.ts';
import { readLinks } from './audit-head.ts';
import { linesBackwards } from './lines-backwards.ts';

/** The limits of a log. */
export interface Retention {
  /** Size in bytes from which a file is not continued; the chain continues in a new file. */
  readonly segmentBytes: number;
  /** Maximum size of all files in bytes; the oldest are removed first. */
  readonly totalBytes: number;
  /** Milliseconds since the last write after which a file is removed. */
  readonly ageMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A call takes about 1 KB, so this holds about 500,000 calls, or up to 400 days. */
export const DEFAULT_RETENTION: Retention = { segmentBytes: 32 * 1024 * 1024, totalBytes: 512 * 1024 * 1024, ageMs: 400 * DAY_MS };

/** Returns the files that exceed the age or total size, oldest first, with their last hash. */
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
