import type { BigIntStats } from 'node:fs';
import { entryType, type Entry } from './list-entries.ts';

/** What is told of one entry, beyond what a listing tells. */
export interface EntryFacts extends Entry {
  /** Permission bits. */
  readonly mode: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Names that the file has. */
  readonly links: number;
}

/** @param target where a link points, as written in it */
export function entryFacts(path: string, name: string, stat: BigIntStats, target?: string): EntryFacts {
  return {
    path,
    name,
    type: entryType(stat),
    size: Number(stat.size),
    modified: Number(stat.mtimeMs),
    created: Number(stat.birthtimeMs),
    mode: Number(stat.mode) & 0o7777,
    links: Number(stat.nlink),
    ...(target === undefined ? {} : { target }),
  };
}
