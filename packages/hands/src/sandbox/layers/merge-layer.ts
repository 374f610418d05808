import { chmodSync, lstatSync, renameSync, unlinkSync, type BigIntStats } from 'node:fs';
import { displayPath, joinNames, type Name } from '../../workspace/byte-name.ts';
import { removeByHandle } from '../../workspace/remove-tree.ts';
import { TreeCursor, turns, visitTree } from '../../workspace/tree-cursor.ts';

/** What a layer takes on the disk. */
export interface LayerSize {
  readonly bytes: number;
  readonly entries: number;
}

/** The marks by which a folder of a layer hides the folder below it. */
export interface OpaqueMarks {
  /**
   * Whether a folder has the mark.
   *
   * @param layer path of the layer
   * @returns undefined if that cannot be read
   */
  readonly has: (layer: string, location: readonly Name[], signal: AbortSignal) => Promise<boolean | undefined>;
  /** Sets the mark; returns whether that worked. */
  readonly set: (layer: string, location: readonly Name[], signal: AbortSignal) => Promise<boolean>;
}

/** Bytes of a block in `stat`, on every file system. */
const BLOCK_BYTES = 512;
const SET_ID = 0o6000n;
const OWNER_WRITES = 0o200n;

/** A deeper tree is no cache, and each level is a turn of every later walk. */
const MAX_DEPTH = 500;

class TooLarge extends Error {}

const isWhiteout = (stat: BigIntStats): boolean => stat.isCharacterDevice() && stat.rdev === 0n;
const isKind = (stat: BigIntStats): boolean => stat.isFile() || stat.isDirectory() || stat.isSymbolicLink() || isWhiteout(stat);

/**
 * Measures what a command wrote, and removes what no cache contains: pipes, sockets, and the rights of set-id files.
 *
 * @returns undefined if it exceeds the limits
 */
export async function cleanLayer(folder: string, limits: LayerSize, signal: AbortSignal): Promise<LayerSize | undefined> {
  let [bytes, entries] = [0, 0];
  using cursor = new TreeCursor(folder, { owned: true });
  const visit = (name: Name, stat: BigIntStats): void => {
    if (!isKind(stat)) return unlinkSync(cursor.at(name));
    if (stat.isFile() && (stat.mode & SET_ID) !== 0n) chmodSync(cursor.at(name), Number(stat.mode & 0o777n));
    entries += 1;
    // A sparse file takes less than its size.
    bytes += Number(stat.blocks) * BLOCK_BYTES;
    if (bytes > limits.bytes || entries > limits.entries || cursor.location.length > MAX_DEPTH) throw new TooLarge();
  };
  try {
    await visitTree(cursor, visit, signal);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
  return { bytes, entries };
}

/** The options of {@link mergeLayer}. */
interface Merging {
  readonly marks: OpaqueMarks;
  /** The folder of the user below both layers; undefined if there is none. */
  readonly below: string | undefined;
  /** Only these names of the folder. Default: all. */
  readonly names?: readonly Name[];
  readonly signal: AbortSignal;
}

const isFolder = (stat: BigIntStats | undefined): stat is BigIntStats => stat?.isDirectory() === true;
/** The kernel does not mark a new folder where a layer below says that the name was deleted. */
const isOverDeleted = (now: BigIntStats, old: BigIntStats | undefined): boolean => now.isDirectory() && old !== undefined && isWhiteout(old);

/**
 * Moves what a command wrote to an upper layer into the layer below it, so that both layers look as before. Both are private to
 * Synapse, and no command that runs can write to either.
 *
 * @returns what both layers had
 */
export async function mergeLayer(upperPath: string, lowerPath: string, { marks, below, names: only, signal }: Merging): Promise<LayerSize> {
  const rest = turns(signal);
  using upper = new TreeCursor(upperPath, { owned: true });
  using lower = new TreeCursor(lowerPath, { owned: true });
  const replaced = { bytes: 0, entries: 0 };
  const frames: Name[][] = [[...(only ?? upper.names())]];
  /** Whether the folder that both cursors entered replaces the lower one. */
  const replaces = async (): Promise<boolean> => {
    const own = new Set(upper.names().map((name) => displayPath([name])));
    const before = lower.names();
    const hasMore = before.some((name) => !own.has(displayPath([name])) || lower.stat(name)?.isDirectory() === true);
    // If it cannot be read, the older entries are given up: the layer must not show what a command deleted.
    return hasMore && (await marks.has(upperPath, upper.location, signal)) !== false;
  };
  /** For each folder on the way whether the layer hides what is below, once that was asked. */
  const covers = new Map<string, boolean>();
  const isCovered = async (): Promise<boolean> => {
    for (const depth of lower.location.keys()) {
      const at = lower.location.slice(0, depth + 1);
      const key = displayPath(at);
      if (!covers.has(key)) covers.set(key, (await marks.has(lowerPath, at, signal)) !== false);
      if (covers.get(key) === true) return true;
    }
    return false;
  };
  /** The kernel shows the mark of a deleted name where it hides nothing. */
  const hidesNothing = async (name: Name): Promise<boolean> =>
    below === undefined || !exists(below, [...lower.location, name]) || (await isCovered());
  for (let names = frames.at(-1); names !== undefined; names = frames.at(-1)) {
    await rest();
    const name = names.pop();
    if (name === undefined) {
      frames.pop();
      if (frames.length === 0) continue;
      upper.leave();
      lower.leave();
      continue;
    }
    const [now, old] = [upper.stat(name), lower.stat(name)];
    if (now === undefined) continue;
    if (now.isDirectory() && isFolder(old)) {
      upper.enter(name);
      lower.enter(name);
      if (!(await replaces())) {
        replaced.entries += 1;
        replaced.bytes += Number(old.blocks) * BLOCK_BYTES;
        frames.push(upper.names());
        continue;
      }
      upper.leave();
      lower.leave();
    }
    if (isOverDeleted(now, old) && !(await marks.set(upperPath, [...upper.location, name], signal))) continue;
    if (old !== undefined) await remove(lower, name, old, replaced, signal);
    if (!isWhiteout(now) || !(await hidesNothing(name))) move(upper, lower, name, now);
  }
  return replaced;
}

function exists(folder: string, names: readonly Name[]): boolean {
  try {
    return lstatSync(joinNames(folder, names), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Closed to this user: it may.
    return true;
  }
}

async function remove(
  lower: TreeCursor,
  name: Name,
  old: BigIntStats,
  replaced: { bytes: number; entries: number },
  signal: AbortSignal,
): Promise<void> {
  replaced.entries += 1;
  replaced.bytes += Number(old.blocks) * BLOCK_BYTES;
  if (!old.isDirectory()) return unlinkSync(lower.at(name));
  const depth = lower.location.length;
  lower.enter(name);
  await visitTree(
    lower,
    (_, stat) => {
      replaced.entries += 1;
      replaced.bytes += Number(stat.blocks) * BLOCK_BYTES;
    },
    signal,
  );
  while (lower.location.length > depth) lower.leave();
  await removeByHandle(lower.self, name);
}

/** A folder that its owner may not write to, as in the module cache of Go, cannot be moved as it is. */
function move(upper: TreeCursor, lower: TreeCursor, name: Name, now: BigIntStats): void {
  const isClosed = now.isDirectory() && (now.mode & OWNER_WRITES) === 0n;
  if (isClosed) chmodSync(upper.at(name), Number(now.mode & 0o777n) | 0o700);
  renameSync(upper.at(name), lower.at(name));
  if (isClosed) chmodSync(lower.at(name), Number(now.mode & 0o777n));
}
