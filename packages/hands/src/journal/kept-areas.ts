import { statfsSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isSwap, type Step } from '../workspace/changes/step.ts';
import { markIn } from './whole-entry.ts';

/** Share of the disk's free space that transactions may use for undo. */
const SHARE_OF_DISK = 0.1;

/** Table of the areas that journal entries need, with their sizes in bytes. */
export const ENTRY_AREAS = `
  CREATE TABLE IF NOT EXISTS entry_area (
    entry INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    area TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (entry, area)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS entry_area_area ON entry_area (area);
`;

/** Returns the areas that steps exchange entries with. */
export function areasOf(steps: readonly Step[]): Set<string> {
  return new Set(steps.flatMap((step) => (isSwap(step) ? [step.swap.area] : [])));
}

/** Returns the number of bytes that steps move out of the workspace and keep. */
export function bytesKeptBy(steps: readonly Step[]): number {
  let bytes = 0;
  for (const step of steps) if (isSwap(step) && step.before !== null && step.before.type !== 'other') bytes += step.before.whole?.bytes ?? 0;
  return bytes;
}

/** Marks in an area that its exchange stands from now on. */
export function markApplied(areas: string, area: string): void {
  writeFileSync(markIn(areas, area), '');
}

/** Returns the number of bytes that transactions may keep, based on the current free space. */
export function shareOfDisk(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return Math.floor(bavail * bsize * SHARE_OF_DISK);
  } catch {
    // No transaction has run here yet, so no limit is needed.
    return Number.MAX_SAFE_INTEGER;
  }
}

/** Tracks in a database which areas are needed. */
export function areasIn(database: DatabaseSync) {
  return {
    /** Records the areas of an entry. */
    note(entry: number, steps: readonly Step[]): void {
      const bytes = bytesKeptBy(steps);
      for (const area of areasOf(steps)) database.prepare('INSERT INTO entry_area (entry, area, bytes) VALUES (?, ?, ?)').run(entry, area, bytes);
    },
    /** Whether an entry needs an area. */
    isKept: (area: string): boolean => database.prepare('SELECT 1 FROM entry_area WHERE area = ? LIMIT 1').get(area) !== undefined,
    /** Deletes the oldest entries until at most `maxBytes` are kept. */
    prune(maxBytes: number): void {
      const rows = database
        .prepare(
          `SELECT a.entry, a.bytes FROM entry_area a JOIN entry e ON e.id = a.entry
           WHERE e.state = 'done' AND a.entry = (SELECT max(entry) FROM entry_area WHERE area = a.area) ORDER BY a.entry DESC`,
        )
        .all();
      let total = 0;
      for (const { entry, bytes } of rows) {
        total += Number(bytes);
        if (total <= maxBytes) continue;
        database
          .prepare('DELETE FROM entry WHERE id IN (SELECT entry FROM entry_area WHERE area IN (SELECT area FROM entry_area WHERE entry = ?))')
          .run(Number(entry));
      }
    },
  };
}
