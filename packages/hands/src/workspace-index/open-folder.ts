import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, type Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { errnoOf } from '../workspace/file-error.ts';
import { joinListing, listed, type Folder } from './folder.ts';
import type { TimeSlice } from './time-slice.ts';

/** Not following, and not waiting for a pipe that took the name of a folder. */
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** A folder whose own size is beyond this holds thousands of names, and is read in pieces. */
const LARGE_FOLDER_BYTES = 64 * 1024;
/** Names of a large folder that are read at once. */
const NAMES_AT_ONCE = 1024;

/** A path to an open folder that goes through its handle. */
export const throughHandle = (handle: number): string => `/proc/self/fd/${handle}`;

/** A path to a name in an open folder; one character of the name stands for one byte (latin1). */
export function throughFolder(handle: number, name: string): Buffer {
  return Buffer.from(`${throughHandle(handle)}/${name}`, 'latin1');
}

/** Opens a folder directly in an open one without following a link. The caller closes it. */
export function openFolder(parent: number, name: string): number {
  return openSync(throughFolder(parent, name), FLAGS);
}

/** Opens a folder below an open one name by name, so that no path is too long and no link is followed. The caller closes it. */
export function openFolderBelow(start: number, path: string): number {
  let handle = openFolder(start, '.');
  for (const name of path === '' ? [] : path.split('/')) {
    try {
      const next = openFolder(handle, name);
      closeSync(handle);
      handle = next;
    } catch (error) {
      closeSync(handle);
      throw error;
    }
  }
  return handle;
}

/** Why a folder could not be opened or read: it went away, is closed to this user and so to commands, or is not to be known. */
export type ReadFailure = { readonly kind: 'gone' } | { readonly kind: 'closed' } | { readonly kind: 'unreadable'; readonly reason: string };

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Judges why a folder could not be read. What this user owns a command can open again: that is no excuse. */
export function readFailure(error: unknown, parent: number, name: string): ReadFailure {
  const errno = errnoOf(error) ?? 'unknown';
  if (GONE.has(errno)) return { kind: 'gone' };
  if (errno !== 'EACCES' && errno !== 'EPERM') return { kind: 'unreadable', reason: errno };
  return ownerOf(parent, name)?.uid === process.getuid?.() ? { kind: 'unreadable', reason: errno } : { kind: 'closed' };
}

function ownerOf(parent: number, name: string): Stats | undefined {
  try {
    return lstatSync(throughFolder(parent, name), { throwIfNoEntry: false });
  } catch {
    // The parent may be listed and not entered: then its owner decides.
    return fstatSync(parent);
  }
}

/** Reads an open folder. */
export async function readFolder(handle: number, slice: TimeSlice): Promise<Folder> {
  const { dev, ino, size } = fstatSync(handle);
  const at = throughHandle(handle);
  const identity = { device: dev, inode: ino };
  if (size <= LARGE_FOLDER_BYTES) {
    return { ...identity, listing: joinListing(readdirSync(at, { encoding: 'latin1', withFileTypes: true }).map(listed)) };
  }
  const entries: string[] = [];
  for await (const entry of await opendir(at, { encoding: 'latin1', bufferSize: NAMES_AT_ONCE })) {
    entries.push(listed(entry));
    if (slice.isOver) await slice.next();
  }
  return { ...identity, listing: joinListing(entries) };
}
