import { lstatSync, readdirSync, readlinkSync, type BigIntStats, type Stats } from 'node:fs';
import { displayName, nameFromBytes, type Name } from './byte-name.ts';
import type { PinnedDirectory } from './confinement.ts';
import { errnoOf } from './file-error.ts';

/** What a listing tells of an entry. */
export interface Entry {
  /** Path from the workspace root, as it can be given back to any tool. */
  readonly path: string;
  readonly name: string;
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Where a link points, as written in it. */
  readonly target?: string;
}

/** How much to list. */
export interface ListOptions {
  readonly depth: number;
  readonly hidden: boolean;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Deeper trees are not descended: each level holds a handle open. */
const MAX_DEPTH = 128;

export function entryType(stat: BigIntStats | Stats): Entry['type'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'link' : 'other';
}

function isHidden(name: Name): boolean {
  return typeof name === 'string' ? name.startsWith('.') : name[0] === 0x2e;
}

/** The names in a pinned directory, in the order the disk has them. */
export function namesIn(directory: PinnedDirectory): Name[] {
  return readdirSync(directory.self, { encoding: 'buffer' }).map(nameFromBytes);
}

/** Where a link points, as written in it; undefined where it is no link any more. */
export function linkTarget(directory: PinnedDirectory, name: Name): string | undefined {
  try {
    return displayName(readlinkSync(directory.at(name)));
  } catch (error) {
    if (['EINVAL', 'ENOENT'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function describe(directory: PinnedDirectory, name: Name, prefix: string): Entry | undefined {
  const stat = lstatSync(directory.at(name), { throwIfNoEntry: false });
  // Deleted since the folder was read.
  if (stat === undefined) return undefined;
  const type = entryType(stat);
  const shown = displayName(name);
  const target = type === 'link' ? linkTarget(directory, name) : undefined;
  return {
    path: prefix + shown,
    name: shown,
    type,
    size: stat.size,
    modified: Math.trunc(stat.mtimeMs),
    ...(target === undefined ? {} : { target }),
  };
}

interface Named {
  readonly name: Name;
  readonly shown: string;
  readonly isDirectory: boolean;
}

const order = (a: Named, b: Named): number => Number(b.isDirectory) - Number(a.isDirectory) || (a.shown < b.shown ? -1 : a.shown > b.shown ? 1 : 0);

/** What the decoder puts where bytes are no UTF-8. */
const REPLACEMENT = '\ufffd';

/** The entries of a directory. Names are read as text where all of them are, which takes half the time. */
function readNames(directory: PinnedDirectory): Array<{ readonly name: Name; readonly isDirectory: boolean }> {
  const entries = readdirSync(directory.self, { withFileTypes: true });
  if (!entries.some(({ name }) => name.includes(REPLACEMENT)))
    return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
  return readdirSync(directory.self, { encoding: 'buffer', withFileTypes: true }).map((entry) => ({
    name: nameFromBytes(entry.name),
    isDirectory: entry.isDirectory(),
  }));
}

function sortedNames(directory: PinnedDirectory, hidden: boolean): Named[] {
  return readNames(directory)
    .filter(({ name }) => hidden || !isHidden(name))
    .map((entry) => ({ ...entry, shown: displayName(entry.name) }))
    .toSorted(order);
}

/**
 * Lists a directory: folders first, then the rest, each by name; with a depth, each folder is
 * followed by what it holds. Links are shown and never followed.
 */
export function listEntries(
  directory: PinnedDirectory,
  prefix: string,
  options: ListOptions,
): { entries: Entry[]; total: number; complete: boolean } {
  const entries: Entry[] = [];
  let total = 0;
  let complete = true;
  const visit = (at: PinnedDirectory, below: string, level: number): void => {
    options.signal.throwIfAborted();
    const names = sortedNames(at, options.hidden);
    total += names.length;
    for (const { name } of names) {
      if (entries.length >= options.limit) {
        complete = false;
        return;
      }
      const entry = describe(at, name, below);
      if (entry === undefined) continue;
      entries.push(entry);
      if (entry.type !== 'directory' || level >= options.depth) continue;
      if (level >= MAX_DEPTH) {
        complete = false;
        continue;
      }
      using child = openChild(at, name);
      if (child !== undefined) visit(child, `${entry.path}/`, level + 1);
    }
  };
  visit(directory, prefix, 1);
  return { entries, total, complete };
}

function openChild(at: PinnedDirectory, name: Name): PinnedDirectory | undefined {
  try {
    return at.child(name);
  } catch {
    // Unreadable, or swapped for a link since: its own line in the listing stands, its contents stay unread.
    return undefined;
  }
}
