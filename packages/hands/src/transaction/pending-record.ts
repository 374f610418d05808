import * as z from 'zod';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDiskFull } from '../workspace/file-error.ts';
import { TransactionArea, releaseReserve } from './transaction-area.ts';

/** Random bytes of a handle: short enough to type, and unique in a workspace. */
const HANDLE_BYTES = 3;

/** Maximum characters of a stored command or reason. */
export const MAX_COMMAND = 1_000;

/** The record of pending changes. */
const PendingRecord = z.strictObject({
  handle: z.string().regex(/^c-[0-9a-f]+$/u),
  command: z.string(),
  /** ISO 8601. */
  time: z.iso.datetime(),
  why: z.string(),
  files: z.int(),
  bytes: z.number(),
  /** Time after which a change of the workspace is a conflict, in nanoseconds. */
  startedAt: z.string().regex(/^\d+$/u),
});
export type PendingRecord = z.infer<typeof PendingRecord>;

/**
 * Makes the changes in an area pending; returns their handle.
 *
 * @param handle Default: a new one
 */
export function writePending(
  area: TransactionArea,
  rest: Omit<PendingRecord, 'handle' | 'time'>,
  handle = `c-${randomBytes(HANDLE_BYTES).toString('hex')}`,
): string {
  const command = rest.command.slice(0, MAX_COMMAND).toWellFormed();
  const record: PendingRecord = { handle, time: new Date().toISOString(), ...rest, command, why: rest.why.slice(0, MAX_COMMAND).toWellFormed() };
  writeWhole(area, JSON.stringify(record));
  rmSync(area.reserve, { force: true });
  releaseReserve(dirname(area.path));
  return handle;
}

/** Atomic: an area with half a record would count as one without. */
function writeWhole(area: TransactionArea, text: string): void {
  const temporary = `${area.record}.new`;
  const write = (): void => writeFileSync(temporary, text, { mode: 0o600 });
  try {
    write();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    // Not before: without record and reserve, the changes would count as those of a command that changed nothing.
    rmSync(area.reserve, { force: true });
    write();
  }
  renameSync(temporary, area.record);
}

/** The record of an area; undefined if its changes are not pending. */
export function readPending(area: TransactionArea): PendingRecord | undefined {
  if (existsSync(area.ofBranch)) return undefined;
  try {
    return PendingRecord.parse(JSON.parse(readFileSync(area.record, 'utf8')));
  } catch {
    // The command is still running, or its changes were applied.
    return undefined;
  }
}

/** All pending changes, oldest first. */
export function pendingIn(folder: string): Array<{ readonly area: TransactionArea; readonly record: PendingRecord }> {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).flatMap((name) => {
    const area = new TransactionArea(join(folder, name));
    const record = readPending(area);
    return record === undefined ? [] : [{ area, record }];
  });
  return found.toSorted((one, other) => (one.record.time < other.record.time ? -1 : 1));
}
