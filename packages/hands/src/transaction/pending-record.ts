import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { TransactionArea } from './transaction-area.ts';

/** Short enough to be typed, and no two are alike among those of one workspace. */
const HANDLE_BYTES = 3;

/** What is written of changes that wait for a person. */
const PendingRecord = z.strictObject({
  handle: z.string().regex(/^c-[0-9a-f]+$/u),
  command: z.string(),
  /** ISO 8601. */
  time: z.iso.datetime(),
  why: z.string(),
  files: z.int(),
  bytes: z.number(),
  /** From when on what changed in the workspace is a conflict, in nanoseconds. */
  startedAt: z.string().regex(/^\d+$/u),
});
export type PendingRecord = z.infer<typeof PendingRecord>;

/** From now on the changes in an area wait for a person; returns the handle by which they are called. */
export function writePending(area: TransactionArea, rest: Omit<PendingRecord, 'handle' | 'time'>): string {
  const handle = `c-${randomBytes(HANDLE_BYTES).toString('hex')}`;
  const record: PendingRecord = { handle, time: new Date().toISOString(), ...rest };
  const temporary = `${area.record}.new`;
  writeFileSync(temporary, JSON.stringify(record), { mode: 0o600 });
  // At once: an area with half a record would be one without.
  renameSync(temporary, area.record);
  return handle;
}

/** All changes that wait, the oldest first. */
export function pendingIn(folder: string): Array<{ readonly area: TransactionArea; readonly record: PendingRecord }> {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).flatMap((name) => {
    const area = new TransactionArea(join(folder, name));
    try {
      return [{ area, record: PendingRecord.parse(JSON.parse(readFileSync(area.record, 'utf8'))) }];
    } catch {
      // A command that runs, or changes that were applied.
      return [];
    }
  });
  return found.toSorted((one, other) => (one.record.time < other.record.time ? -1 : 1));
}
