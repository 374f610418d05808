import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';

const Lock = z.strictObject({
  /** Why, as it can be shown. */
  reason: z.string(),
  /** Since when: ISO 8601. */
  time: z.iso.datetime(),
});
/** Why no command runs in a workspace, until a person has looked. */
export type CommandLock = z.infer<typeof Lock>;

const fileIn = (folder: string): string => join(folder, 'locked.json');

/** What a person types to end a lock. */
export const UNLOCK = 'synapse quarantine unlock';

/**
 * Locks a workspace for commands: what the last one left could not be looked at in full, and the next one, or a program of
 * the person, may execute it.
 *
 * @param folder the quarantine of the workspace
 */
export function lockCommands(folder: string, reason: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock: CommandLock = { reason, time: new Date().toISOString() };
  writeFileSync(fileIn(folder), JSON.stringify(lock), { mode: 0o600 });
}

/** The lock of a workspace; undefined where commands run. */
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
    // Cut off while it was written: it was to be a lock.
    return { reason: 'the reason was not written down', time: new Date(0).toISOString() };
  }
}

/**
 * Refuses to run a command in a locked workspace.
 *
 * @throws SynapseError `denied`
 */
export function assertUnlocked(folder: string): void {
  const lock = commandLock(folder);
  if (lock === undefined) return;
  throw new SynapseError('denied', `Commands are locked in this workspace: ${lock.reason}`, {
    hint: `A person must look at what is there, and then run: ${UNLOCK}`,
  });
}

/** Ends a lock. */
export function unlockCommands(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}
