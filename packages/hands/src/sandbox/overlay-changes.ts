import { closeSync, lstatSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs';
import { displayPath, type Name } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { entryType, namesIn as namesInDirectory, type Entry } from '../workspace/list-entries.ts';
import { openRegular, type OpenFile } from '../workspace/open-file.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/** A person looks at these; a command that changes more is described by how many. */
const MAX_CHANGES = 10_000;
const MAX_DEPTH = 128;
/** Files up to this size are compared, to leave out those that were only touched. */
const COMPARE_BYTES = 8 * 1024 * 1024;

/** One difference between the workspace and what a command would make of it. */
export interface OverlayChange {
  readonly location: WorkspacePath;
  /** As it is shown. */
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'deleted';
  /** Of what is there afterwards; where it was deleted, of what was there before. */
  readonly type: Entry['type'];
  /** Bytes afterwards; 0 where it was deleted. */
  readonly size: number;
  /** Permission bits afterwards, and before where it was there. */
  readonly mode?: number;
  readonly modeBefore?: number;
  /** Where a link leads, as written in it. */
  readonly target?: Buffer;
  /** Names of the file, before where it was there, else afterwards: on a copy each name becomes a file of its own. */
  readonly links?: number;
  /** Opens the new content of a regular file; the caller closes it. */
  readonly open?: () => OpenFile;
  /** All of the new content of a regular file. */
  readonly read?: () => Buffer;
}

/** All differences, in the order of folders; a deleted or added folder stands before what is in it. */
export interface OverlayDifference {
  readonly changes: readonly OverlayChange[];
  /** False where there are more, or some lie too deep to be read. */
  readonly complete: boolean;
}

/** What is compared. */
export interface OverlaySides {
  readonly lower: Confinement;
  readonly upper: Confinement;
  /**
   * The entries, as paths, of folders that are on both sides. The kernel is asked: how it notes that a name was deleted,
   * or a folder made anew, has several forms, and some cannot be seen from here.
   */
  readonly namesIn: (folders: readonly string[]) => Promise<ReadonlySet<string>>;
}

const key = (location: WorkspacePath): string =>
  location.map((name) => (typeof name === 'string' ? Buffer.from(name) : name).toString('latin1')).join('/');

const mode = (stat: BigIntStats): number => Number(stat.mode) & 0o7777;

function stat(directory: PinnedDirectory | undefined, name: Name): BigIntStats | undefined {
  return directory === undefined ? undefined : lstatSync(directory.at(name), { bigint: true, throwIfNoEntry: false });
}

function lowerFolder(lower: PinnedDirectory | undefined, name: Name): PinnedDirectory | undefined {
  return stat(lower, name)?.isDirectory() === true ? lower?.child(name) : undefined;
}

/** The names in a folder; undefined where the command made it unreadable to its own user. */
function namesIfReadable(directory: PinnedDirectory): Name[] | undefined {
  try {
    return namesInDirectory(directory);
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

/** Reads the upper folder of an overlay as differences to the lower one. */
export async function readOverlay({ lower, upper, namesIn }: OverlaySides): Promise<OverlayDifference> {
  using lowerRoot = lower.openDirectory([]);
  using upperRoot = upper.openDirectory([]);
  const both: string[] = [];
  let complete = collectBoth(upperRoot, lowerRoot, [], both);
  const remaining = await namesIn(both);
  const changes: OverlayChange[] = [];
  const add = (change: OverlayChange): void => {
    if (changes.length < MAX_CHANGES) changes.push(change);
    else complete = false;
  };

  const readable = (directory: PinnedDirectory): Name[] => {
    const names = namesIfReadable(directory);
    complete &&= names !== undefined;
    return names ?? [];
  };
  const visit = async (at: PinnedDirectory, before: PinnedDirectory | undefined, location: WorkspacePath): Promise<void> => {
    if (before !== undefined) {
      for (const name of readable(before)) {
        const place = [...location, name];
        const old = remaining.has(key(place)) ? undefined : stat(before, name);
        if (old !== undefined)
          add({ location: place, path: displayPath(place), kind: 'deleted', type: entryType(old), size: 0, modeBefore: mode(old) });
      }
    }
    for (const name of readable(at)) {
      const place = [...location, name];
      const now = stat(at, name);
      // The mark of a deleted name.
      if (now === undefined || (before !== undefined && !remaining.has(key(place))) || (now.isCharacterDevice() && now.rdev === 0n)) continue;
      const old = stat(before, name);
      if (old === undefined || !(await isSame(upper, lower, place, now, old))) add(describe(at, name, place, now, old));
      if (!now.isDirectory() || place.length > MAX_DEPTH) {
        complete &&= place.length <= MAX_DEPTH;
        continue;
      }
      using child = at.child(name);
      using childBefore = lowerFolder(before, name);
      await visit(child, childBefore, place);
    }
  };

  const describe = (at: PinnedDirectory, name: Name, place: WorkspacePath, now: BigIntStats, old: BigIntStats | undefined): OverlayChange => ({
    location: place,
    path: displayPath(place),
    kind: old === undefined ? 'added' : 'changed',
    type: entryType(now),
    size: Number(now.size),
    mode: mode(now),
    ...(old === undefined ? {} : { modeBefore: mode(old) }),
    ...(now.isSymbolicLink() ? { target: readlinkSync(at.at(name), { encoding: 'buffer' }) } : {}),
    ...(now.isFile()
      ? { links: Number((old?.isFile() === true ? old : now).nlink), open: () => openUpper(upper, place), read: () => readUpper(upper, place) }
      : {}),
  });

  await visit(upperRoot, lowerRoot, []);
  return { changes, complete };
}

/** Collects the folders that are on both sides; false where some cannot be named to another program, or lie too deep. */
function collectBoth(upper: PinnedDirectory, lower: PinnedDirectory, location: WorkspacePath, both: string[]): boolean {
  if (location.length > MAX_DEPTH || location.some((name) => typeof name !== 'string')) return false;
  both.push(location.join('/'));
  let complete = true;
  for (const name of namesIfReadable(upper) ?? []) {
    if (stat(upper, name)?.isDirectory() !== true) continue;
    using before = lowerFolder(lower, name);
    if (before === undefined) continue;
    using child = upper.child(name);
    if (!collectBoth(child, before, [...location, name], both)) complete = false;
  }
  return complete;
}

function openUpper(upper: Confinement, place: WorkspacePath): OpenFile {
  using entry = upper.openEntry(place);
  return openRegular(entry);
}

function readUpper(upper: Confinement, place: WorkspacePath): Buffer {
  using entry = upper.openEntry(place);
  const fd = entry.openForRead();
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Whether an entry that was copied up is still what it was: a touched file is copied too. */
async function isSame(upper: Confinement, lower: Confinement, place: WorkspacePath, now: BigIntStats, old: BigIntStats): Promise<boolean> {
  if (entryType(now) !== entryType(old) || mode(now) !== mode(old)) return false;
  if (now.isDirectory()) return true;
  if (!now.isFile() || now.size !== old.size || now.size > COMPARE_BYTES) return false;
  using after = openUpper(upper, place);
  using before = openUpper(lower, place);
  return (await after.read(0, after.size)).equals(await before.read(0, before.size));
}
