import { closeSync, constants, openSync, readSync, readlinkSync, type BigIntStats, type PathLike } from 'node:fs';
import type { Name } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { entryType } from '../workspace/list-entries.ts';
import { addTo, visitTree, type TreeCursor, type TreeSize } from '../workspace/tree-cursor.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

export const PERMISSIONS = 0o7777n;

/** An entry of a copy beside the one of the workspace, as the walk meets it, before it is judged. */
export interface ChangeEntry {
  readonly location: WorkspacePath;
  readonly name: Name;
  /** The entry in the copy. */
  readonly now: BigIntStats;
  /** The entry in the workspace; undefined if there is none. */
  readonly before: BigIntStats | undefined;
  /** Whether the workspace has the folder around it too; false in a new folder. */
  readonly isBeside: boolean;
  /** Whether it is a folder on both sides, of which the copy shows the content of both. */
  readonly isMerged: boolean;
  /** The folders that contain it, in the copy and in the workspace. */
  readonly upper: TreeCursor;
  readonly lower: TreeCursor;
}

/** Whether an overlay marks a name as deleted. */
export const isWhiteout = (stat: BigIntStats): boolean => stat.isCharacterDevice() && stat.rdev === 0n;

/** Whether permissions of an entry are the same on both sides. */
export const hasSamePermissions = ({ now, before }: ChangeEntry): boolean =>
  before !== undefined && (now.mode & PERMISSIONS) === (before.mode & PERMISSIONS);

/** Whether both sides are files with the same content. */
export function hasSameContent({ now, before, name, upper, lower }: ChangeEntry): boolean {
  return before !== undefined && now.isFile() && before.isFile() && now.size === before.size && sameContent(upper.at(name), lower.at(name));
}

/** Whether a file or a link was written again as it was. */
export function isUnchanged(entry: ChangeEntry): boolean {
  const { now, before, name, upper, lower } = entry;
  if (before === undefined || entryType(now) !== entryType(before) || now.isDirectory()) return false;
  if (now.isSymbolicLink()) return readlinkSync(upper.at(name), 'buffer').equals(readlinkSync(lower.at(name), 'buffer'));
  return now.mtimeNs === before.mtimeNs && hasSamePermissions(entry) && hasSameContent(entry);
}

/** What the workspace loses with an entry. */
export interface LostContent {
  readonly size: TreeSize;
  /** Why something in it must not be lost; undefined if nothing. */
  readonly denied: string | undefined;
}

/** Measures the folder of the workspace that an entry deletes or replaces, and finds what must not be lost. */
export async function lostContent(
  { name, lower }: ChangeEntry,
  denied: (location: WorkspacePath) => string | undefined,
  signal: AbortSignal,
): Promise<LostContent> {
  const size: TreeSize = { files: 0, bytes: 0, entries: 0 };
  let why: string | undefined;
  const depth = lower.location.length;
  try {
    lower.enter(name);
    await visitTree(
      lower,
      (below, stat) => {
        addTo(size, stat);
        why ??= denied([...lower.location, below]);
      },
      signal,
    );
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') throw error;
    why ??= 'its owner closed a folder of it, so what would be lost is not known';
  }
  while (lower.location.length > depth) lower.leave();
  return { size, denied: why };
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK = 256 * 1024;
const buffers = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)] as const;

function fill(fd: number, buffer: Buffer): number {
  let length = 0;
  while (length < CHUNK) {
    const read = readSync(fd, buffer, length, CHUNK - length, null);
    if (read === 0) break;
    length += read;
  }
  return length;
}

/** Whether two regular files of equal size have equal content. An unreadable one counts as different. */
export function sameContent(one: PathLike, other: PathLike): boolean {
  using stack = new DisposableStack();
  try {
    const [first, second] = [one, other].map((path) => {
      const fd = openSync(path, READ);
      stack.defer(() => closeSync(fd));
      return fd;
    });
    if (first === undefined || second === undefined) return false;
    for (;;) {
      const lengths = [fill(first, buffers[0]), fill(second, buffers[1])] as const;
      if (lengths[0] !== lengths[1] || !buffers[0].subarray(0, lengths[0]).equals(buffers[1].subarray(0, lengths[1]))) return false;
      if (lengths[0] < CHUNK) return true;
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
