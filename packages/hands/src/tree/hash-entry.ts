import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { isSettled, throughFolder } from '../workspace-index/open-folder.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { TimeSlice } from '../events/timing.ts';
import type { TreeEntry } from './listing.ts';

/** An entry with what identifies its content, so that it is not read again. */
export interface KnownEntry extends TreeEntry {
  /** Inode, size, and both times. */
  readonly stamp: string;
}

/** Follows no link, and does not block on a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 256 * 1024;
/**
 * Bytes of a file up to which its content is hashed, which takes half a second. A larger one, such as one of terabytes with holes, counts
 * by what identifies it on this machine: elsewhere, it is another.
 */
const MAX_CONTENT_BYTES = 256 * 1024 * 1024;
const ANY_EXECUTE = 0o111;
/** Marks an entry that must be read again. */
export const UNSURE = '';

/** Identifies the content of a file: a change without a trace in it would need a clock that was set back. */
function stampOf({ ino, size, mtimeMs, ctimeMs, mode }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${(mode & ANY_EXECUTE) === 0 ? 'f' : 'x'}`;
}

/** The stamp to keep: none for a file that changed just now, because its next change could leave the same times. */
const keptStamp = (stat: Stats): string => (isSettled(stat) ? stampOf(stat) : UNSURE);

/** Whether a file or link is certainly the one that is known, with the same content. @param at its path, which may lead through links */
export function isAsKnown(at: Buffer | string, { stamp }: KnownEntry): boolean {
  if (stamp === UNSURE) return false;
  try {
    const stat = lstatSync(at, { throwIfNoEntry: false });
    return stat !== undefined && stampOf(stat) === stamp;
  } catch {
    // Too long for a path, or a folder on the way is none any more.
    return false;
  }
}

const buffer = Buffer.alloc(CHUNK_BYTES);

/**
 * Returns a file or link of a folder with its hash; undefined if it is gone, or neither of them.
 *
 * @param root an open folder
 * @param path relative to it; one character per byte (latin1)
 * @param known the entry as it was: read again only if its stamp differs. Undefined if it certainly changed
 */
export function hashEntry(root: number, path: string, slice: TimeSlice, known?: KnownEntry): KnownEntry | Promise<KnownEntry> | undefined {
  const at = throughFolder(root, path);
  if (known !== undefined && known.stamp !== UNSURE) {
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined || known.stamp === stampOf(stat)) return stat === undefined ? undefined : known;
  }
  let fd: number;
  try {
    fd = openSync(at, FLAGS);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP') return hashLink(at);
    throw error;
  }
  let isOpen = true;
  try {
    // Taken before the content: a later change has other times.
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    if (stat.size > MAX_CONTENT_BYTES) return entryOf(stat, hash('sha256', `large ${stampOf(stat)}`));
    if (stat.size >= CHUNK_BYTES) {
      isOpen = false;
      return hashLarge(fd, stat, slice);
    }
    const length = readSync(fd, buffer, 0, CHUNK_BYTES, 0);
    if (length < CHUNK_BYTES) return entryOf(stat, hash('sha256', buffer.subarray(0, length)));
    isOpen = false;
    return hashLarge(fd, stat, slice);
  } finally {
    if (isOpen) closeSync(fd);
  }
}

function hashLink(at: Buffer | string): KnownEntry {
  const stat = lstatSync(at);
  return { kind: 'l', hash: hash('sha256', readlinkSync(at, { encoding: 'buffer' })), stamp: keptStamp(stat) };
}

function entryOf(stat: Stats, sum: string): KnownEntry {
  return { kind: (stat.mode & ANY_EXECUTE) === 0 ? 'f' : 'x', hash: sum, stamp: keptStamp(stat) };
}

async function hashLarge(fd: number, stat: Stats, slice: TimeSlice): Promise<KnownEntry> {
  try {
    const sum = createHash('sha256');
    // Its own: other files are read while this one waits.
    const own = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; ;) {
      const length = readSync(fd, own, 0, CHUNK_BYTES, at);
      if (length === 0) break;
      at += length;
      sum.update(own.subarray(0, length));
      if (slice.isOver) await slice.next();
    }
    return entryOf(stat, sum.digest('hex'));
  } finally {
    closeSync(fd);
  }
}
