import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { listingHash, treeKind, type StoredListing } from './listing.ts';
import type { KnownEntry } from './hash-entry.ts';
import type { FolderTimes } from '../workspace-index/folder.ts';
import { workspaceId } from '../state/state-folder.ts';
import { errnoOf } from '../workspace/file-error.ts';

/** Bytes of listings after which the older half is dropped. A changed file adds about 10 kB, so this holds thousands of states. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Bytes of listings that are added at once: 150,000 files. Of a larger workspace, a comparison names folders in place of files. */
const MAX_ADDED_BYTES = MAX_BYTES / 2;
/** The hash of a listing, the number of its bytes, and a line end. */
const HEADER = /^([0-9a-f]{64}) (\d{10})\n$/u;
const HEADER_BYTES = 76;
const VERSION = 2;

/** What separates fields, and folders: no name contains a zero byte or a slash. */
const [FIELD, FOLDER, LIST] = ['\0', '\0//\0', '/'] as const;

/** A folder as it was known when a process ended. */
export interface SavedFolder {
  readonly path: string;
  readonly rulesKey: string;
  readonly hash: string;
  readonly entries: ReadonlyMap<string, KnownEntry>;
  readonly ignored: ReadonlySet<string>;
  /** Its names, if its times tell whether they are still the same. */
  readonly names: SavedNames | undefined;
}

/** The names of a folder, see {@link Folder}. */
export interface SavedNames extends FolderTimes {
  readonly inode: number;
  readonly listing: string;
}

/**
 * Keeps the listings of a workspace's folders by their hash, and what the next process needs so that it reads no file again.
 * Nothing of it is proof: a listing is what its hash says, and the audit log says which hash counts.
 */
export class TreeStore {
  readonly #folder: string;
  readonly #stored = new Set<string>();
  /** The file that {@link #stored} is about. */
  #inode = 0;

  constructor(stateFolder: string, root: string) {
    this.#folder = join(stateFolder, 'trees', workspaceId(root));
  }

  /**
   * Adds listings that are not there yet. If the state is full or closed, a later comparison names no files.
   *
   * @param all returns all listings of the tree, for a file that was begun anew
   */
  add(listings: readonly StoredListing[], all: () => Iterable<StoredListing>): void {
    try {
      const fd = this.#openListings();
      try {
        const { ino, size } = fstatSync(fd);
        const isSame = ino === this.#inode;
        if (!isSame) this.#stored.clear();
        this.#inode = ino;
        const bytes = this.#unstored(isSame ? listings : [...all(), ...listings]);
        if (bytes.length > 0 && bytes.length <= MAX_ADDED_BYTES) appendFileSync(fd, bytes);
        if (size > MAX_BYTES) renameSync(this.#path('listings'), this.#path('listings.old'));
      } finally {
        closeSync(fd);
      }
    } catch {
      this.#inode = 0;
    }
  }

  #openListings(): number {
    const [path, mode] = [this.#path('listings'), 0o600];
    try {
      return openSync(path, 'a', mode);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      return openSync(path, 'a', mode);
    }
  }

  #unstored(listings: readonly StoredListing[]): Buffer {
    const parts: Buffer[] = [];
    for (const { sum, bytes } of listings) {
      if (this.#stored.has(sum)) continue;
      parts.push(Buffer.from(`${sum} ${String(bytes.length).padStart(10, '0')}\n`, 'latin1'), bytes);
      this.#stored.add(sum);
    }
    return Buffer.concat(parts);
  }

  /** Finds listings by their hash. Reads all of them, at most 96 MB, once. */
  reader(): (sum: string) => string | undefined {
    const found = new Map<string, Buffer>();
    for (const name of ['listings.old', 'listings']) {
      const bytes = this.#read(name);
      for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
        const [, sum, length] = HEADER.exec(bytes.toString('latin1', at, at + HEADER_BYTES)) ?? [];
        if (sum === undefined) break;
        const end = at + HEADER_BYTES + Number(length);
        found.set(sum, bytes.subarray(at + HEADER_BYTES, end));
        at = end;
      }
    }
    return (sum) => {
      const text = found.get(sum)?.toString('latin1');
      return text !== undefined && listingHash(text) === sum ? text : undefined;
    };
  }

  /** Saves the folders, so that the next process reads only what changed. */
  save(folders: Iterable<SavedFolder>): void {
    const lines = [`${VERSION}${FIELD}${this.#inode}`];
    for (const { path, rulesKey, hash: sum, entries, ignored, names } of folders) {
      const saved = [...entries].map(([name, entry]) => `${entry.kind}${entry.hash}${entry.stamp}${LIST}${name}`);
      const stamp = names === undefined ? '' : `${names.inode} ${names.modified} ${names.changed}`;
      lines.push([path, rulesKey, sum, [...ignored].join(LIST), stamp, names?.listing ?? '', ...saved].join(FIELD));
    }
    const fresh = this.#path(`known.${process.pid}`);
    try {
      const text = Buffer.from(lines.join(FOLDER), 'latin1');
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      // The sum is not a secret: it detects a torn file.
      writeFileSync(fresh, Buffer.concat([Buffer.from(`${hash('sha256', text)}\n`), text]), { mode: 0o600 });
      renameSync(fresh, this.#path('known'));
    } catch {
      // The next process reads the files again.
      rmSync(fresh, { force: true });
    }
  }

  /** Reads a folder back, as {@link save} writes it. */
  #load(line: string): SavedFolder {
    const fields = line.split(FIELD);
    const [path = '', rulesKey = '', sum = '', ignored = '', stamp = '', listing = ''] = fields;
    const entries = new Map<string, KnownEntry>();
    for (let at = FIRST_ENTRY; at < fields.length; at += 1) readSaved(fields[at] ?? '', entries);
    this.#stored.add(sum);
    return { path, rulesKey, hash: sum, entries, ignored: new Set(ignored === '' ? [] : ignored.split(LIST)), names: namesOf(stamp, listing) };
  }

  /** Returns the folders as a process saved them; empty if it did not, or they cannot be read. */
  saved(): ReadonlyMap<string, SavedFolder> {
    const folders = new Map<string, SavedFolder>();
    const text = this.#read('known');
    const at = text.indexOf('\n');
    if (at === -1 || hash('sha256', text.subarray(at + 1)) !== text.toString('latin1', 0, at)) return folders;
    const [head = '', ...lines] = text.toString('latin1', at + 1).split(FOLDER);
    const [version, listings] = head.split(FIELD).map(Number);
    if (version !== VERSION || listings === undefined) return folders;
    // What the process that saved this has stored in the file that is still there.
    this.#inode = listings;
    for (const line of lines) {
      const folder = this.#load(line);
      folders.set(folder.path, folder);
    }
    return folders;
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  #read(name: string): Buffer {
    try {
      return readFileSync(this.#path(name));
    } catch {
      return Buffer.alloc(0);
    }
  }
}

const KIND_AND_HASH = 65;

/** The number of fields before the files of a saved folder. */
const FIRST_ENTRY = 6;

function namesOf(stamp: string, listing: string): SavedNames | undefined {
  const [inode, modified, changed] = stamp.split(' ').map(Number);
  return inode === undefined || modified === undefined || changed === undefined ? undefined : { inode, modified, changed, listing };
}

/** Adds a file of a saved folder. */
function readSaved(text: string, entries: Map<string, KnownEntry>): void {
  const slash = text.indexOf(LIST, KIND_AND_HASH);
  const [hashed, stamp] = [text.slice(1, KIND_AND_HASH), text.slice(KIND_AND_HASH, slash)];
  entries.set(text.slice(slash + 1), { kind: treeKind(text.charAt(0)) ?? 'f', hash: hashed, stamp });
}
