import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  futimesSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  type BigIntStats,
} from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { displayPath } from '../byte-name.ts';
import type { PinnedDirectory } from '../confinement.ts';
import { errnoOf } from '../file-error.ts';
import { assertRegular, type OpenFile } from '../open-file.ts';
import { ensureParent, type Target } from '../target.ts';
import { temporaryName } from '../process-identity.ts';
import { keepAccessList } from './access-list.ts';
import { mayHaveList } from './step.ts';

/** The files that a change is computed from, and the operations it can request. */
export interface ChangeScope {
  /** Opens the current file under the lock; undefined if it does not exist. The scope closes it. */
  open(path: string): OpenFile | undefined;
  /** The same, for operations that reveal content; throws if the resolved path may not be read. */
  openReadable(path: string): OpenFile | undefined;
  /** @param mode permission bits; default: those of the existing file, or 666 minus the umask */
  write(path: string, bytes: Uint8Array, mode?: number): void;
  /** Deletes a file, or a link itself. */
  delete(path: string): void;
}

/** A change to one file. */
export type FileChange =
  | { readonly kind: 'write'; readonly target: Target; readonly bytes: Uint8Array; readonly mode?: number }
  | { readonly kind: 'delete'; readonly target: Target };

interface Staged {
  readonly change: FileChange;
  readonly parent: PinnedDirectory;
  readonly temporary: string | undefined;
  backup: string | undefined;
  done: boolean;
}

/** Mode of new files, minus the umask. Changed files keep their mode without set-id bits. */
const NEW_FILE_MODE = 0o666;
const KEPT_MODE = 0o777;
/** Mode of a file whose access list could not be kept: what it allows and denies is then unknown. */
const UNLISTED_MODE = 0o700;

/**
 * Sources whose compiled form is taken for current if the second of the change and the size are the same, as Python does. An edit, a test and a
 * correction of the same length take less than a second here, and the test after them would run the faulty text.
 */
const CACHED_BY_SECOND = /\.pyw?$/u;
const NANOSECONDS = 1_000_000_000n;
/** Many edits of one second go so far ahead. A file of a later time has it from elsewhere. */
const MAX_AHEAD_SECONDS = 60n;

/** Whether two states are of the same, unchanged file. Compares more than the name, which may now belong to another file. */
function isSame(before: BigIntStats | undefined, now: BigIntStats | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return before.ino === now.ino && before.dev === now.dev && before.size === now.size && before.mtimeNs === now.mtimeNs;
}

/** Throws if the target is not a regular file; a link can be deleted. */
export function assertChangeable({ kind, target }: FileChange): void {
  if (target.stat !== undefined && !(kind === 'delete' && target.stat.isSymbolicLink())) assertRegular(target.stat, target.location);
}

/** Throws if two changes have the same target. Each would start from the same text, and the second would undo the first. */
export function assertDistinct(changes: readonly FileChange[]): void {
  const seen = new Set<string>();
  for (const { target } of changes) {
    const path = displayPath(target.location);
    if (seen.has(path)) {
      throw new SynapseError('invalid_arguments', `Two of the paths are the same file, ${path}; nothing was changed.`, {
        hint: 'Name each file once, by one path.',
      });
    }
    seen.add(path);
  }
}

function stage(change: FileChange): Staged {
  const { target } = change;
  assertChangeable(change);
  const parent = ensureParent(target);
  if (change.kind === 'delete') return { change, parent, temporary: undefined, backup: undefined, done: false };
  const temporary = temporaryName();
  // Until the final mode is set, only the owner can open it: an undo may restore a private file.
  const isPlain = target.stat === undefined && change.mode === undefined;
  const fd = openSync(parent.at(temporary), 'wx', isPlain ? NEW_FILE_MODE : 0o600);
  const staged: Staged = { change, parent, temporary, backup: undefined, done: false };
  try {
    writeFileSync(fd, change.bytes);
    const mode = change.mode ?? (target.stat === undefined ? undefined : Number(target.stat.mode));
    if (target.stat !== undefined) keepOwner(fd, target.stat);
    const isSafe = target.stat === undefined || !mayHaveList(Number(target.stat.mode)) || keepAccessList(parent, target.name, temporary);
    if (mode !== undefined) fchmodSync(fd, mode & (isSafe ? KEPT_MODE : UNLISTED_MODE));
    if (target.stat !== undefined && CACHED_BY_SECOND.test(String(target.name))) setLaterSecond(fd, target.stat);
  } catch (error) {
    discard(staged);
    throw error;
  } finally {
    closeSync(fd);
  }
  return staged;
}

/** Keeps the owner of a file. Only root would change it by replacing the file; other users cannot change owners. */
function keepOwner(fd: number, stat: BigIntStats): void {
  const [uid, gid] = [Number(stat.uid), Number(stat.gid)];
  if (process.geteuid?.() !== 0 || (uid === 0 && gid === 0)) return;
  fchownSync(fd, uid, gid);
}

/** Gives a file a time that is in a later second than that of its earlier version: the next one, if it has the same. */
function setLaterSecond(fd: number, before: BigIntStats): void {
  const second = before.mtimeNs / NANOSECONDS;
  const ahead = second - fstatSync(fd, { bigint: true }).mtimeNs / NANOSECONDS;
  if (ahead < 0n || ahead > MAX_AHEAD_SECONDS) return;
  futimesSync(fd, new Date(), Number(second + 1n));
}

function current(staged: Staged): BigIntStats | undefined {
  return lstatSync(staged.parent.at(staged.change.target.name), { bigint: true, throwIfNoEntry: false });
}

function assertUnchanged(staged: Staged): void {
  const { target } = staged.change;
  if (isSame(target.stat, current(staged))) return;
  throw new SynapseError('conflict', `${displayPath(target.location)} was changed by something else in the meantime; nothing was written.`, {
    hint: 'Read it again and repeat the change.',
    retryable: true,
  });
}

function commit(staged: Staged, keepBackup: boolean): void {
  const { change, parent, temporary } = staged;
  const place = parent.at(change.target.name);
  if (keepBackup && change.target.stat !== undefined) {
    const backup = temporaryName();
    linkSync(place, parent.at(backup));
    staged.backup = backup;
  }
  if (temporary === undefined) unlinkSync(place);
  else if (change.target.stat === undefined) createFrom(parent, temporary, change.target);
  else renameSync(parent.at(temporary), place);
  staged.done = true;
}

/** Moves a new file into place without replacing one that appeared in the meantime, as rename would. */
function createFrom(parent: PinnedDirectory, temporary: string, target: Target): void {
  try {
    linkSync(parent.at(temporary), parent.at(target.name));
    unlinkSync(parent.at(temporary));
  } catch (error) {
    // File systems without hard links (vfat, some network mounts).
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
    renameSync(parent.at(temporary), parent.at(target.name));
  }
}

function rollBack(staged: Staged): void {
  // Not yet in place: the staged file is discarded, and the original has not moved.
  if (!staged.done) return;
  const place = staged.parent.at(staged.change.target.name);
  if (staged.backup === undefined) unlinkSync(place);
  else renameSync(staged.parent.at(staged.backup), place);
  staged.backup = undefined;
}

function discard(staged: Staged): void {
  for (const name of [staged.done ? undefined : staged.temporary, staged.backup]) {
    if (name === undefined) continue;
    try {
      unlinkSync(staged.parent.at(name));
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}

/**
 * Applies changes to files, all or none. Writes every new file beside its target first. Renames them
 * into place only when all are written and no target has changed since it was inspected.
 */
export function applyChanges(changes: readonly FileChange[]): void {
  const staged: Staged[] = [];
  try {
    for (const change of changes) staged.push(stage(change));
    for (const one of staged) assertUnchanged(one);
    try {
      for (const one of staged) commit(one, changes.length > 1);
    } catch (error) {
      for (const one of staged.toReversed()) rollBack(one);
      throw error;
    }
  } finally {
    for (const one of staged) {
      discard(one);
      one.parent[Symbol.dispose]();
    }
  }
}
