import type { Dirent } from 'node:fs';

/** What kind of thing a name in a folder stands for. A link is never followed. */
export type EntryKind = 'file' | 'folder' | 'link' | 'socket' | 'other';

/** A name in a folder; one character stands for one byte (latin1). */
export interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** A folder as it was read. A new reading is a new object. */
export interface Folder {
  readonly device: number;
  readonly inode: number;
  /** Its entries in one string: millions of small objects would cost ten times the memory. */
  readonly listing: string;
}

const LETTERS: Readonly<Record<EntryKind, string>> = { file: 'f', folder: 'd', link: 'l', socket: 's', other: 'o' };
const KINDS = new Map<string, EntryKind>([
  ['f', 'file'],
  ['d', 'folder'],
  ['l', 'link'],
  ['s', 'socket'],
]);
/** No name holds it. */
const SEPARATOR = '/';

/** An entry as a listing holds it. */
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

/** The entries of a folder. */
export function entriesOf({ listing }: Folder): Entry[] {
  if (listing === '') return [];
  return listing.split(SEPARATOR).map((entry) => ({ name: entry.slice(1), kind: KINDS.get(entry.charAt(0)) ?? 'other' }));
}

/** The names of the folders in a folder. */
export function foldersIn({ listing }: Folder): string[] {
  if (listing === '') return [];
  return listing.split(SEPARATOR).flatMap((entry) => (entry.startsWith('d') ? [entry.slice(1)] : []));
}

/** The path of a name in a folder; the root is the empty path. */
export function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
