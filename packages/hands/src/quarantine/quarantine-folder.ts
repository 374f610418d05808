import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** Maximum age of an item in milliseconds and maximum number of items. The next quarantine deletes items beyond these. */
const MAX_AGE_MS = 90 * 24 * 3_600_000;
const MAX_ITEMS = 500;

const Kept = z.strictObject({
  /** Relative to the workspace. Each character stands for one byte (latin1). */
  path: z.string(),
  reason: z.string(),
  detail: z.string(),
  /** Time of the quarantine: ISO 8601. */
  time: z.iso.datetime(),
});
/** The record of a quarantined item. */
export type Kept = z.infer<typeof Kept>;

/** A quarantined item with its id. */
export interface KeptItem extends Kept {
  readonly id: string;
}

/** Returns the path of an item's content. */
export const contentOf = (folder: string, id: string): string => join(folder, id, 'content');
const recordOf = (folder: string, id: string): string => join(folder, id, 'record.json');

/** Creates a quarantine entry. The record is written before the item is moved, so that every item has a record. */
export function makePlace(folder: string, kept: Kept): string {
  const id = randomBytes(5).toString('hex');
  mkdirSync(join(folder, id), { recursive: true, mode: 0o700 });
  writeFileSync(recordOf(folder, id), JSON.stringify(kept), { mode: 0o600, flag: 'wx' });
  return id;
}

function read(folder: string, id: string): KeptItem[] {
  try {
    return [{ id, ...Kept.parse(JSON.parse(readFileSync(recordOf(folder, id), 'utf8'))) }];
  } catch {
    // Not a quarantine entry.
    return [];
  }
}

/** Returns all items, newest first. */
export function keptItems(folder: string): KeptItem[] {
  let ids: string[];
  try {
    ids = readdirSync(folder);
  } catch {
    // Nothing was ever quarantined.
    return [];
  }
  return ids.flatMap((id) => read(folder, id)).toSorted((one, other) => (one.time < other.time ? 1 : -1));
}

/** Deletes an entry and its content. */
export function removePlace(folder: string, id: string): void {
  rmSync(join(folder, id), { recursive: true, force: true });
}

/** Deletes expired items. */
export function prune(folder: string, now = Date.now()): void {
  for (const [index, { id, time }] of keptItems(folder).entries()) {
    if (index >= MAX_ITEMS || now - Date.parse(time) > MAX_AGE_MS) removePlace(folder, id);
  }
}
