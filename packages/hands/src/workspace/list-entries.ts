import { lstatSync, readdirSync, readlinkSync, type BigIntStats, type Stats } from 'node:fs';
import { displayName, nameFromBytes, type Name } from './byte-name.ts';
import type { PinnedDirectory, Confinement } from './confinement.ts';
import { errnoOf } from './file-error.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** An entry of a listing. */
export interface Entry {
  /** Path from the workspace root, accepted by every tool. */
  readonly path: string;
  readonly name: string;
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** Size in bytes. */
  readonly size: number;
  /** Modification time in milliseconds since 1970. */
  readonly modified: number;
  /** The target of a link, as written in it. */
  readonly target?: string;
}

/** How much to list. */
export interface ListOptions {
  readonly depth: number;
  readonly hidden: boolean;
  readonly limit: number;
  /** Whether the folders in it may be listed, too: by the path of one. */
  readonly mayList: (path: string) => boolean;
  readonly signal: AbortSignal;
}

/** Maximum depth. Each level holds a handle open. */
const MAX_DEPTH = 128;

export function entryType(stat: BigIntStats | Stats): Entry['type'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'link' : 'other';
}

function isHidden(name: Name): boolean {
  return typeof name === 'string' ? name.startsWith('.') : name[0] === 0x2e;
}

/** Returns the names in a pinned directory, in disk order. */
export function namesIn(directory: PinnedDirectory): Name[] {
  return readdirSync(directory.self, { encoding: 'buffer' }).map(nameFromBytes);
}

/** Returns the target of a link, as written in it; undefined if it is no longer a link. */
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
  // Deleted after the folder was read.
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

/** The decoder's replacement for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

/** Reads the entries of a directory. Reads names as text if all of them are text, which takes half the time. */
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
 * Lists a directory: folders first, then the rest, each by name. With a depth, each folder is
 * followed by its contents. Links are listed and never followed.
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
      if (!options.mayList(entry.path)) continue;
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
    // Unreadable, or replaced by a link: the entry stays in the listing, but its contents are not read.
    return undefined;
  }
}

/** Returns the names in a folder; an empty list if the folder does not exist. */
export function namesBelow(confinement: Confinement, path: WorkspacePath): Name[] {
  try {
    using folder = confinement.openDirectory(path);
    return namesIn(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}
