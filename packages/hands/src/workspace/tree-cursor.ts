import { accessSync, chmodSync, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, type BigIntStats } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { joinNames, nameFromBytes, type Name } from './byte-name.ts';
import type { PinnedDirectory } from './confinement.ts';
import { errnoOf } from './file-error.ts';
import { TimeSlice } from '../events/timing.ts';

/** Linux `O_PATH`, which Node does not define. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const OWNER_ALL = 0o700;
/** Permissions with which everybody may list and enter a folder. */
const OPEN_TO_ALL = 0o555n;
/** Maximum path length. Each character has at most three bytes (UTF-16 to UTF-8), so this is below PATH_MAX, 4096. */
const MAX_PATH_CHARACTERS = 1_300;

interface Level {
  readonly inode: bigint;
  /** The mode to restore on leaving, if permissions were added for the walk. */
  readonly closedMode: number | undefined;
  /** The handle of the parent, if the folder below is elsewhere: its `..` does not lead back. */
  readonly held?: number;
}

/** How a cursor treats the tree. */
export interface CursorOptions {
  /** Whether Synapse owns the tree. Missing permissions on folders are then added for the walk and removed again. */
  readonly owned?: boolean;
  /** An entry of the first folder that is a folder elsewhere, see `PinnedDirectory`. Default: none. */
  readonly standIn?: PinnedDirectory['standIn'] | undefined;
}

/**
 * Walks a tree by handle. Holds one handle at any depth and never builds a full path, so neither the
 * number of handles nor PATH_MAX is a limit. On the way up, it checks the parent by its inode.
 */
export class TreeCursor implements Disposable {
  #fd: number;
  readonly #levels: Level[] = [];
  readonly #names: Name[] = [];
  readonly #owned: boolean;
  readonly #standIn: CursorOptions['standIn'];
  /** The path of each level, for faster access. Only safe in an owned tree, which no other process changes. */
  readonly #paths: Array<string | undefined>;

  constructor(folder: string, { owned = false, standIn }: CursorOptions = {}) {
    this.#standIn = standIn;
    this.#paths = [owned ? folder : undefined];
    this.#fd = openSync(`${folder}/.`, O_PATH | constants.O_DIRECTORY);
    this.#owned = owned;
  }

  /** The location of the cursor, below the folder where it started. */
  get location(): readonly Name[] {
    return this.#names;
  }

  /** The folder itself, by its handle. */
  get self(): string {
    return `/proc/self/fd/${this.#fd}/.`;
  }

  at(name: Name): string | Buffer {
    if (this.#levels.length === 0 && name === this.#standIn?.name) return this.#standIn.folder;
    return joinNames(`/proc/self/fd/${this.#fd}`, [name]);
  }

  names(): Name[] {
    try {
      const names = readdirSync(this.self);
      // Decoded from bytes that are not UTF-8, or a name with this character.
      return names.some((name) => name.includes('\ufffd')) ? readdirSync(this.self, { encoding: 'buffer' }).map(nameFromBytes) : names;
    } catch (error) {
      // If this user cannot read it, the command could not either.
      if (!this.#owned && errnoOf(error) === 'EACCES') return [];
      throw error;
    }
  }

  stat(name: Name): BigIntStats | undefined {
    try {
      return lstatSync(this.#pathOf(name) ?? this.at(name), { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      // The parent is a file or is not accessible, so the entry cannot exist.
      if (errnoOf(error) === 'ENOTDIR' || (!this.#owned && errnoOf(error) === 'EACCES')) return undefined;
      throw error;
    }
  }

  /** Returns a path, which takes half the time of a handle; undefined if it would be too long. */
  #pathOf(name: Name): string | undefined {
    const folder = this.#paths.at(-1);
    if (folder === undefined || typeof name !== 'string') return undefined;
    const path = `${folder}/${name}`;
    return path.length > MAX_PATH_CHARACTERS ? undefined : path;
  }

  /** Whether a folder is closed to this user. Nothing in it can be seen, and a cursor would not get out of it. */
  isClosed(name: Name, { mode }: BigIntStats): boolean {
    if (this.#owned || (mode & OPEN_TO_ALL) === OPEN_TO_ALL) return false;
    try {
      accessSync(this.at(name), constants.R_OK | constants.X_OK);
      return false;
    } catch (error) {
      return errnoOf(error) === 'EACCES';
    }
  }

  /** Enters a folder. Does not follow a link. */
  enter(name: Name): void {
    const place = this.at(name);
    const parent = fstatSync(this.#fd, { bigint: true }).ino;
    const fd = openSync(place, FOLDER);
    const closedMode = this.#owned ? makeOpen(fd) : undefined;
    const isElsewhere = this.#levels.length === 0 && name === this.#standIn?.name;
    this.#levels.push({ inode: parent, closedMode, ...(isElsewhere ? { held: this.#fd } : {}) });
    if (!isElsewhere) closeSync(this.#fd);
    this.#fd = fd;
    this.#names.push(name);
    this.#paths.push(this.#pathOf(name));
  }

  /** Returns to the parent folder. */
  leave(): void {
    const level = this.#levels.pop();
    const name = this.#names.pop();
    if (level === undefined || name === undefined) return;
    this.#paths.pop();
    const fd = level.held ?? openSync(`/proc/self/fd/${this.#fd}/..`, O_PATH | constants.O_DIRECTORY);
    if (fstatSync(fd, { bigint: true }).ino !== level.inode) {
      closeSync(fd);
      throw moved();
    }
    if (level.closedMode !== undefined) chmodSync(`/proc/self/fd/${this.#fd}`, level.closedMode);
    closeSync(this.#fd);
    this.#fd = fd;
  }

  [Symbol.dispose](): void {
    try {
      // Restore the permissions of folders that were changed for the walk.
      while (this.#owned && this.#levels.length > 0) this.leave();
    } finally {
      this.#close();
    }
  }

  #close(): void {
    closeSync(this.#fd);
    for (const { held } of this.#levels) if (held !== undefined) closeSync(held);
  }
}

/** Adds missing permissions to a folder. Returns the mode to restore; undefined if nothing was missing. Closes the handle if that fails. */
function makeOpen(fd: number): number | undefined {
  try {
    const mode = fstatSync(fd).mode & 0o7777;
    if ((mode & OWNER_ALL) === OWNER_ALL) return undefined;
    chmodSync(`/proc/self/fd/${fd}`, mode | OWNER_ALL);
    return mode;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Opens a cursor in a folder below another. If a folder on the way cannot be entered, nothing stays open. */
export function cursorAt(folder: string, location: readonly Name[], options?: CursorOptions): TreeCursor {
  using stack = new DisposableStack();
  const cursor = stack.use(new TreeCursor(folder, options));
  for (const name of location) cursor.enter(name);
  stack.move();
  return cursor;
}

function moved(): SynapseError {
  return new SynapseError('conflict', 'A folder was moved while it was read.', { hint: 'Repeat the call.', retryable: true });
}

/** Returns a function that lets other work run when the current turn has been long. */
export function turns(signal: AbortSignal): () => Promise<void> | undefined {
  const slice = new TimeSlice();
  return () => {
    if (!slice.isOver) return undefined;
    signal.throwIfAborted();
    return slice.next();
  };
}

/** The number and size of entries below a folder. */
export interface TreeSize {
  files: number;
  bytes: number;
  entries: number;
}

/** Called for each entry below a folder. Of a folder that is closed to this user, only the folder itself is visited. */
type Visitor = (name: Name, stat: BigIntStats) => void;

/** What of a tree is visited. */
interface VisitBounds {
  /** Whether to end the visit where it is; the cursor then stays there. */
  readonly isEnough?: (() => boolean) | undefined;
  /** Whether to visit what is in a folder. Default: yes */
  readonly enters?: ((name: Name) => boolean) | undefined;
}

function* walk(cursor: TreeCursor, visit: Visitor, enters: VisitBounds['enters']): Generator<void> {
  const pending: Name[][] = [cursor.names()];
  for (let names = pending.at(-1); names !== undefined; names = pending.at(-1)) {
    yield;
    const name = names.pop();
    if (name === undefined) {
      pending.pop();
      if (pending.length > 0) cursor.leave();
      continue;
    }
    const stat = cursor.stat(name);
    if (stat === undefined) continue;
    visit(name, stat);
    if (!stat.isDirectory() || cursor.isClosed(name, stat) || enters?.(name) === false) continue;
    cursor.enter(name);
    pending.push(cursor.names());
  }
}

/**
 * Visits everything below the cursor's folder and returns to it. Other work gets turns in between.
 *
 * @param isEnough whether to end the visit where it is; the cursor then stays there
 */
export async function visitTree(cursor: TreeCursor, visit: Visitor, signal: AbortSignal, isEnough?: () => boolean): Promise<void> {
  const rest = turns(signal);
  for (const _ of walk(cursor, visit, undefined)) {
    if (isEnough?.() === true) return;
    await rest();
  }
}

/** Visits everything below the cursor's folder synchronously. */
export function visitTreeSync(cursor: TreeCursor, visit: Visitor, { isEnough, enters }: VisitBounds = {}): void {
  for (const _ of walk(cursor, visit, enters)) if (isEnough?.() === true) return;
}

/** Adds an entry to a size. */
export function addTo(size: TreeSize, stat: BigIntStats): void {
  size.entries += 1;
  if (!stat.isFile()) return;
  size.files += 1;
  size.bytes += Number(stat.size);
}
