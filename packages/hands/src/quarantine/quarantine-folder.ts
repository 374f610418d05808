import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** What is older, or comes after so many newer ones, is deleted with the next that is taken away: nobody missed it. */
const MAX_AGE_MS = 90 * 24 * 3_600_000;
const MAX_ITEMS = 500;

const Kept = z.strictObject({
  /** Relative to the workspace; one character stands for one byte (latin1). */
  path: z.string(),
  reason: z.string(),
  detail: z.string(),
  /** When it was taken away: ISO 8601. */
  time: z.iso.datetime(),
});
/** What is told of something that was taken away. */
export type Kept = z.infer<typeof Kept>;

/** Something kept, with the name that a person calls it by. */
export interface KeptItem extends Kept {
  readonly id: string;
}

/** Where the thing itself lies. */
export const contentOf = (folder: string, id: string): string => join(folder, id, 'content');
const recordOf = (folder: string, id: string): string => join(folder, id, 'record.json');

/** Makes a place for something. The record is there before the thing is, so that whatever is kept can be told. */
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
    // Nothing that was kept here.
    return [];
  }
}

/** All that is kept, the newest first. */
export function keptItems(folder: string): KeptItem[] {
  let ids: string[];
  try {
    ids = readdirSync(folder);
  } catch {
    // Nothing was ever taken away.
    return [];
  }
  return ids.flatMap((id) => read(folder, id)).toSorted((one, other) => (one.time < other.time ? 1 : -1));
}

/** Deletes a place and what is in it. */
export function removePlace(folder: string, id: string): void {
  rmSync(join(folder, id), { recursive: true, force: true });
}

/** Deletes what nobody will ask for any more. */
export function prune(folder: string, now = Date.now()): void {
  for (const [index, { id, time }] of keptItems(folder).entries()) {
    if (index >= MAX_ITEMS || now - Date.parse(time) > MAX_AGE_MS) removePlace(folder, id);
  }
}
