import type { Dirent } from 'node:fs';

/** The type of an entry in a folder. Links are never followed. */
type EntryKind = 'file' | 'folder' | 'link' | 'socket' | 'other';

/** An entry of a folder; one character of the name per byte (latin1). */
export interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** A folder as it was read. Each read creates a new object. */
export interface Folder {
  readonly device: number;
  readonly inode: number;
  /** The entries in one string: millions of small objects would take ten times the memory. */
  readonly listing: string;
  /** When names in it changed, and it, in milliseconds since 1970. Missing where the next change may leave the same times. */
  readonly times?: FolderTimes;
}

/** Tells whether a folder has other names than before. */
export interface FolderTimes {
  readonly modified: number;
  readonly changed: number;
}

const LETTERS: Readonly<Record<EntryKind, string>> = { file: 'f', folder: 'd', link: 'l', socket: 's', other: 'o' };
const KINDS = new Map<string, EntryKind>([
  ['f', 'file'],
  ['d', 'folder'],
  ['l', 'link'],
  ['s', 'socket'],
]);
/** A character that names cannot contain. */
const SEPARATOR = '/';

/** Encodes an entry for a listing. */
export function listed(entry: Dirent): string {
  return LETTERS[kindOf(entry)] + entry.name;
}

function kindOf(entry: Dirent): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isSocket() ? 'socket' : 'other';
}

export function joinListing(entries: readonly string[]): string {
  return entries.join(SEPARATOR);
}

/** Returns the entries of a folder. */
export function entriesOf({ listing }: Folder): Entry[] {
  if (listing === '') return [];
  return listing.split(SEPARATOR).map((entry) => ({ name: entry.slice(1), kind: KINDS.get(entry.charAt(0)) ?? 'other' }));
}

/** Whether a folder has an entry of a kind with this name. */
export function hasEntry({ listing }: Folder, kind: EntryKind, name: string): boolean {
  const entry = LETTERS[kind] + name;
  return (
    listing === entry ||
    listing.startsWith(entry + SEPARATOR) ||
    listing.endsWith(SEPARATOR + entry) ||
    listing.includes(SEPARATOR + entry + SEPARATOR)
  );
}

/** Returns the names of the subfolders of a folder. */
export function foldersIn({ listing }: Folder): string[] {
  if (listing === '') return [];
  return listing.split(SEPARATOR).flatMap((entry) => (entry.startsWith('d') ? [entry.slice(1)] : []));
}

/** Returns the path of a name in a folder; the root is the empty path. */
export function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Maximum names from events, in all folders together; beyond, every name may have changed. */
const MAX_NAMES = 50_000;

/** The names of a folder that may stand for something else now. */
export interface ChangedNames {
  has(name: string): boolean;
  /** The names; undefined where these may be all. */
  readonly names: ReadonlySet<string> | undefined;
}

const EVERY_NAME: ChangedNames = { has: () => true, names: undefined };

function changedNames(names: ReadonlySet<string> | undefined): ChangedNames {
  return names === undefined ? EVERY_NAME : { has: (name) => names.has(name), names };
}

/** What events reported since the last read. */
interface Pending {
  /** Folders in which names came or went. */
  readonly names: ReadonlyMap<string, ChangedNames>;
  /** The number of content events. */
  readonly contents: number;
  /** The files whose contents changed; undefined where these are too many. */
  readonly allContents: ReadonlySet<string> | undefined;
}

/** What is pending without events. */
export const NOTHING_PENDING: Pending = { names: new Map(), contents: 0, allContents: new Set() };

/** Collects events until there is time for them, in bounded memory. */
export class PendingChanges {
  readonly #names = new Map<string, Set<string> | undefined>();
  #contents = 0;
  readonly #files = new Set<string>();
  #kept = 0;

  /** @param name undefined where any may be meant */
  addNames(path: string, name: string | undefined): void {
    const names = this.#names.get(path);
    if (names === undefined && this.#names.has(path)) return;
    if (name === undefined || this.#kept >= MAX_NAMES) {
      this.#names.set(path, undefined);
      return;
    }
    this.#kept += 1;
    if (names === undefined) this.#names.set(path, new Set([name]));
    else names.add(name);
  }

  /** @param isWanted whether the path is needed */
  addContent(path: string, isWanted: boolean): void {
    this.#contents += 1;
    if (isWanted && this.#files.size <= MAX_NAMES) this.#files.add(path);
  }

  /** Returns all of them. Collect further ones anew. */
  get all(): Pending {
    const names = new Map([...this.#names].map(([path, set]): [string, ChangedNames] => [path, changedNames(set)]));
    return { names, contents: this.#contents, allContents: this.#files.size > MAX_NAMES ? undefined : this.#files };
  }
}
