import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';

const Lock = z.strictObject({
  /** The reason, safe to display. */
  reason: z.string(),
  /** Time of the lock: ISO 8601. */
  time: z.iso.datetime(),
});
/** Why no command runs in a workspace until a person has checked it. */
export type CommandLock = z.infer<typeof Lock>;

const fileIn = (folder: string): string => join(folder, 'locked.json');

/** The command that removes a lock. */
export const UNLOCK = 'synapse quarantine unlock';

/**
 * Locks a workspace for commands. Not everything that the last command left could be checked, and the next command or another
 * program may execute it.
 *
 * @param folder the quarantine folder of the workspace
 */
export function lockCommands(folder: string, reason: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock: CommandLock = { reason, time: new Date().toISOString() };
  writeFileSync(fileIn(folder), JSON.stringify(lock), { mode: 0o600 });
}

/** Returns the lock of a workspace; undefined if commands may run. */
export function commandLock(folder: string): CommandLock | undefined {
  let text: string;
  try {
    text = readFileSync(fileIn(folder), 'utf8');
  } catch {
    // Never locked.
    return undefined;
  }
  try {
    return Lock.parse(JSON.parse(text));
  } catch {
    // The write was interrupted, so the lock was intended.
    return { reason: 'the reason was not written down', time: new Date(0).toISOString() };
  }
}

/**
 * Checks that commands may run in a workspace.
 *
 * @throws SynapseError `denied` if the workspace is locked
 */
export function assertUnlocked(folder: string): void {
  const lock = commandLock(folder);
  if (lock === undefined) return;
  throw new SynapseError('denied', `Commands are locked in this workspace: ${lock.reason}`, {
    hint: `A person must look at what is there, and then run: ${UNLOCK}`,
  });
}

/** Removes a lock. */
export function unlockCommands(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}
