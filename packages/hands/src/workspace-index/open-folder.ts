import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, type Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { errnoOf } from '../workspace/file-error.ts';
import { hasEntry, joinListing, listed, type Folder } from './folder.ts';
import type { TimeSlice } from '../events/timing.ts';

/** Does not follow links, and does not block on a pipe that replaced a folder. */
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Size of a folder in bytes above which it holds thousands of names, and is read in parts. */
const LARGE_FOLDER_BYTES = 64 * 1024;
/** Number of names read at once from a large folder. */
const NAMES_AT_ONCE = 1024;

/** Returns the path of an open folder through its handle. */
export const throughHandle = (handle: number): string => `/proc/self/fd/${handle}`;

/** Names that are the same in all encodings. */
export const ASCII = /^\p{ASCII}*$/u;

/** Returns the path of a name in an open folder; one character of the name per byte (latin1). */
export const throughFolder = (handle: number, name: string): Buffer | string => bytesOf(`${throughHandle(handle)}/${name}`);

/** A path for the file system; one character per byte (latin1). */
export const bytesOf = (path: string): Buffer | string => (ASCII.test(path) ? path : Buffer.from(path, 'latin1'));

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

/** Maximum number of open folders. */
const MAX_OPEN = 64;

/**
 * Opens many folders below an open one, name by name through handles. Folders on the path of the last one stay open, so
 * that a walk in order opens each only once.
 */
export class FolderTrail implements Disposable {
  readonly #start: number;
  readonly #open: Array<{ readonly name: string; readonly handle: number }> = [];

  constructor(start: number) {
    this.#start = start;
  }

  /** Returns a handle that is valid until the next call. */
  open(path: string): number {
    const names = path === '' ? [] : path.split('/');
    const same = this.#open.findIndex(({ name }, index) => names[index] !== name);
    if (same !== -1) this.#close(same);
    else this.#close(Math.min(this.#open.length, names.length));
    for (const name of names.slice(this.#open.length, MAX_OPEN)) this.#open.push({ name, handle: openFolder(this.#last, name) });
    if (names.length <= MAX_OPEN) return this.#last;
    const rest = names.slice(MAX_OPEN).join('/');
    this.#open.push({ name: rest, handle: openFolderBelow(this.#last, rest) });
    return this.#last;
  }

  [Symbol.dispose](): void {
    this.#close(0);
  }

  get #last(): number {
    return this.#open.at(-1)?.handle ?? this.#start;
  }

  #close(from: number): void {
    for (const { handle } of this.#open.splice(from)) closeSync(handle);
  }
}

/**
 * Opens a folder below an open one by its whole path, which is faster; undefined if that does not lead to the expected
 * folder. The way may follow a link, but then it led to another folder. The caller closes it.
 */
export function openKnownFolder(start: number, path: string, folder: Pick<Folder, 'device' | 'inode'>): number | undefined {
  let handle: number;
  try {
    handle = openFolder(start, path === '' ? '.' : path);
  } catch {
    // Opening it name by name reports why.
    return undefined;
  }
  if (isSameFolder(handle, folder)) return handle;
  closeSync(handle);
  return undefined;
}

/** Whether an open folder is the one that was read earlier. */
export function isSameFolder(handle: number, { device, inode }: Pick<Folder, 'device' | 'inode'>): boolean {
  const { dev, ino } = fstatSync(handle);
  return dev === device && ino === inode;
}

/** Why a folder could not be opened or read: it is gone, it is closed to this user and thus to commands, or unknown. */
export type ReadFailure = { readonly kind: 'gone' } | { readonly kind: 'closed' } | { readonly kind: 'unreadable'; readonly reason: string };

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Classifies a read failure. A command can reopen a folder that this user owns, so such a folder does not count as closed. */
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
    // The parent may be listable but not accessible: then its owner decides.
    return fstatSync(parent);
  }
}

/** Milliseconds in which a second change may leave the times of an entry as they are: more than a tick of the kernel's clock. */
const TICK_MS = 30;
/** As above, for file systems that only keep whole seconds. */
const SECOND_TICK_MS = 2_100;

/** Whether any further change of an entry changes its times. */
export function isSettled({ mtimeMs, ctimeMs }: Pick<Stats, 'mtimeMs' | 'ctimeMs'>): boolean {
  const tick = Number.isInteger(ctimeMs / 1_000) ? SECOND_TICK_MS : TICK_MS;
  return Date.now() - Math.max(mtimeMs, ctimeMs) > tick;
}

/** Reads an open folder. Synchronous for most: waiting for each would double the time of a walk. */
export function readFolder(handle: number, stat: Stats, slice: TimeSlice): Folder | Promise<Folder> {
  const { dev: device, ino: inode, size, mtimeMs: modified, ctimeMs: changed } = stat;
  const at = throughHandle(handle);
  // From before the names are read: what changes meanwhile, changes the times.
  const identity = isSettled(stat) ? { device, inode, times: { modified, changed } } : { device, inode };
  if (size > LARGE_FOLDER_BYTES) return readInPieces(at, identity, slice);
  return { ...identity, listing: joinListing(readdirSync(at, { encoding: 'latin1', withFileTypes: true }).map(listed)) };
}

async function readInPieces(at: string, identity: Omit<Folder, 'listing'>, slice: TimeSlice): Promise<Folder> {
  const entries: string[] = [];
  for await (const entry of await opendir(at, { encoding: 'latin1', bufferSize: NAMES_AT_ONCE })) {
    entries.push(listed(entry));
    if (slice.isOver) await slice.next();
  }
  return { ...identity, listing: joinListing(entries) };
}

/** Maximum number of names to look at one by one; for more, reading the whole folder is faster. */
const MAX_NAMES = 16;
const KINDS = ['file', 'folder', 'link', 'socket', 'other'] as const;

/** Whether a folder had a regular file with this name. */
export function hasFile(folder: Folder, name: string): boolean {
  return hasEntry(folder, 'file', name);
}

/**
 * Whether changed names of an open folder are files as before, or missing as before. A folder with the same name may be another
 * one, so it counts as changed.
 */
export function haveSameEntries(handle: number, before: Folder, names: ReadonlySet<string>): boolean {
  if (names.size > MAX_NAMES) return false;
  for (const name of names) {
    const now = lstatSync(throughFolder(handle, name), { throwIfNoEntry: false });
    const isSame = now === undefined ? !KINDS.some((kind) => hasEntry(before, kind, name)) : now.isFile() && hasFile(before, name);
    if (!isSame) return false;
  }
  return true;
}
