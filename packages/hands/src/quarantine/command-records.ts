import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { errnoOf } from '../workspace/file-error.ts';
import type { HeldCommands } from '../workspace/workspace-reader.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';

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
  const file = fileIn(folder);
  let text: string;
  try {
    // Never locked.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { reason: `whether they were locked before cannot be read (${errnoOf(error)})`, time: new Date(0).toISOString() };
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

const Note = z.object({
  owner: z.string(),
  places: z.array(z.object({ path: z.string(), kind: z.string(), stamp: z.string() })),
});
const NOTE_NAME = /^unfinished-[0-9a-f]+\.json$/u;

/** The state of a path before a command whose changes have not been checked yet. */
export interface PlaceBefore {
  /** Relative to the root. Each character stands for one byte (latin1). */
  readonly path: string;
  /** Why the path is watched. */
  readonly kind: string;
  /** A value that differs after any change. */
  readonly stamp: string;
}

/** The record of one command. Disposing it removes it. */
export interface NoteBefore extends Disposable {
  /** Makes another process responsible for the check. */
  transferOwnership(owner: string): void;
}

/**
 * Records the state of watched paths before a command, until its changes have been checked. If this process is killed
 * in the meantime, the next process checks them.
 *
 * @param owner the process that runs the command; for tests
 */
export function noteBefore(folder: string, places: readonly PlaceBefore[], owner = processIdentity()): NoteBefore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `unfinished-${randomBytes(5).toString('hex')}.json`);
  const write = (by: string): void => {
    writeFileSync(`${file}.tmp`, JSON.stringify({ owner: by, places }), { mode: 0o600, flag: 'wx' });
    renameSync(`${file}.tmp`, file);
  };
  write(owner);
  return { transferOwnership: write, [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

function readNote(file: string): z.infer<typeof Note> | undefined {
  try {
    return Note.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Incomplete, so the command had not started; or deleted.
    return undefined;
  }
}

/** Whether notes of any process exist, running or not. */
export function hasNotes(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => NOTE_NAME.test(name));
  } catch {
    // No command has run here.
    return false;
  }
}

/**
 * Takes the notes of processes that no longer run. Each note is returned once.
 *
 * @param mayTake whether to take the notes of a process
 */
export function takeUnfinished(
  folder: string,
  mayTake: (owner: string) => boolean = (owner) => isRunning(owner) !== true,
): Array<readonly PlaceBefore[]> {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => NOTE_NAME.test(name));
  } catch {
    // No command has run here.
    return [];
  }
  return names.flatMap((name) => {
    const file = join(folder, name);
    const note = readNote(file);
    if (note !== undefined && !mayTake(note.owner)) return [];
    rmSync(file, { force: true });
    return note === undefined ? [] : [note.places];
  });
}

/** Marks of processes: a command runs, or hidden files are moved. The owner is in the name, so that a mark is never half written. */
const MARK = /^(?<kind>running|moving)-(?<pid>\d+)-(?<started>\d*)-[0-9a-f]+$/u;
/** Milliseconds between looks whether hidden files are still moved. */
const MOVING_MS = 2;

type MarkKind = 'running' | 'moving';

/** A mark that lasts until it is disposed, or until its process ends. */
export interface Mark extends Disposable {
  /** Makes another process its owner. */
  transferOwnership(owner: string): void;
}

const ownerName = (owner: string): string => owner.replace(' ', '-');
let own: string | undefined;

function setMark(folder: string, kind: MarkKind): Mark {
  const id = randomBytes(5).toString('hex');
  const fileOf = (name: string): string => join(folder, `${kind}-${name}-${id}`);
  let file = fileOf((own ??= ownerName(processIdentity())));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  return {
    transferOwnership(owner) {
      const theirs = fileOf(ownerName(owner));
      renameSync(file, theirs);
      file = theirs;
    },
    [Symbol.dispose]: () => rmSync(file, { force: true }),
  };
}

/** Whether a process that runs has set a mark. Removes those that killed processes left. */
function isMarked(folder: string, wanted: MarkKind): boolean {
  const owners = readdirSync(folder).flatMap((name) => {
    const { kind, pid, started } = MARK.exec(name)?.groups ?? {};
    return kind === wanted ? [{ name, owner: `${pid} ${started}` }] : [];
  });
  for (const { name, owner } of owners) if (isRunning(owner) === false) rmSync(join(folder, name), { force: true });
  return owners.some(({ owner }) => isRunning(owner) !== false);
}

/**
 * Marks that a command runs, before it is looked up what must be hidden from it. Waits while hidden files are moved: the command
 * would see them under their new names.
 */
export async function markRunning(folder: string, signal: AbortSignal): Promise<Mark> {
  const mark = setMark(folder, 'running');
  try {
    while (isMarked(folder, 'moving')) await delay(MOVING_MS, undefined, { signal });
    return mark;
  } catch (error) {
    mark[Symbol.dispose]();
    throw error;
  }
}

/**
 * Keeps commands from starting while files are moved that are hidden from them. Each side sets its mark before it looks for the
 * other's, so at least one of them sees the other. A command that already runs would see the files under their new names.
 */
export function holdCommands(folder: string): HeldCommands {
  const mark = setMark(folder, 'moving');
  return { areRunning: isMarked(folder, 'running'), [Symbol.dispose]: () => mark[Symbol.dispose]() };
}
