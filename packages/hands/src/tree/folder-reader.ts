import { constants, closeSync, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { SynapseError } from '@synapse/protocol';
import { nameOf, parentOf } from '../danger/tree-view.ts';
import type { TimeSlice } from '../events/timing.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { pathIn, type Entry } from '../workspace-index/folder.ts';
import { ASCII, bytesOf, throughFolder } from '../workspace-index/open-folder.ts';
import { hashEntry, isAsKnown, UNSURE, type KnownEntry } from './hash-entry.ts';
import { isIgnored, trackedPaths, withIgnoreFile, type IgnoreStack, type TrackedPaths } from './git-rules.ts';
import { OrderedListing } from './listing.ts';
import { isLockFile } from './lock-files.ts';

/** A folder of the tree. */
export interface Node {
  readonly path: string;
  /** The rules that apply to its entries, and their identity. */
  readonly stack: IgnoreStack;
  readonly rulesKey: string;
  /** Whether it is ignored itself: then only tracked files in it count. */
  readonly isForced: boolean;
  readonly entries: OrderedListing<KnownEntry>;
  readonly folders: Set<string>;
  readonly ignored: Set<string>;
  /** What no command can read, with a stamp; undefined for a folder, whose stamp changes with the names in it. */
  readonly hidden: Map<string, string | undefined>;
}

export type Rules = Pick<Node, 'stack' | 'rulesKey' | 'isForced'>;

/** What an earlier reading knows of a folder. */
export interface KnownFolder extends Pick<Node, 'rulesKey'> {
  readonly entries: ReadonlyMap<string, KnownEntry>;
  readonly ignored: ReadonlySet<string>;
}

/** Where the entries of a folder are found faster than from the root. */
interface Nearer {
  /** The folder, if it is open. */
  readonly handle?: number | undefined;
  /** Its path from `/`, by which only files that are as known are recognized: a third of the time of a handle. */
  readonly place?: string | undefined;
}

interface Adding extends Nearer {
  readonly known: KnownEntry | undefined;
  /** Whether it is ignored, if that is known. */
  readonly isIgnored: boolean | undefined;
  readonly slice: TimeSlice;
}

const IGNORE_FILE = '.gitignore';
const EXCLUDE_FILE = '.git/info/exclude';
const MAX_IGNORE_BYTES = 512 * 1024;
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CLOSED: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM']);
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

/** Whether a file decides what git ignores. */
export const isIgnoreFile = (path: string): boolean => nameOf(path) === IGNORE_FILE || path === EXCLUDE_FILE;
const utf8 = (path: string): string => (ASCII.test(path) ? path : Buffer.from(path, 'latin1').toString());
const keyOf = (above: string, text: string): string => hash('sha256', `${above}\0${text}`).slice(0, 16);

/** Reads the entries of folders that count for a tree. Paths have one character per byte (latin1). */
export class FolderReader implements Disposable {
  readonly #root: PinnedDirectory;
  readonly #rootPath: string;
  readonly #hides: (path: string) => boolean;
  #tracked: TrackedPaths = { stamp: '', paths: new Set() };
  #trackedFolders: Set<string> | undefined;
  /** Whether a file was read whose content was not known. */
  hasRead = false;
  #isDisposed = false;

  /** @param hides whether commands cannot read a path, relative to the workspace */
  constructor(confinement: Confinement, hides: (path: string) => boolean) {
    this.#root = confinement.openDirectory([]);
    this.#rootPath = confinement.root;
    this.#hides = hides;
  }

  /** Looks which paths git tracks; returns those that it began or ceased to track. */
  lookAtTracked(): readonly string[] {
    const before = this.#tracked;
    this.#tracked = trackedPaths(this.#rootPath, before);
    if (before === this.#tracked) return [];
    this.#trackedFolders = undefined;
    const [old, now] = [before.paths, this.#tracked.paths];
    return [...old].filter((path) => !now.has(path)).concat([...now].filter((path) => !old.has(path)));
  }

  /** The rules of the whole workspace. */
  rulesOfRoot(): Rules {
    const exclude = this.readIgnoreFile(EXCLUDE_FILE) ?? '';
    return { stack: withIgnoreFile([], '', exclude), rulesKey: keyOf('', exclude), isForced: false };
  }

  rulesBelow(node: Node, name: string): Rules {
    return { stack: node.stack, rulesKey: node.rulesKey, isForced: node.isForced || node.ignored.has(name) };
  }

  /** An empty folder of the tree, with its own ignore file. */
  nodeFor(path: string, rules: Rules, entries: readonly Entry[]): Node {
    const text = entries.some(({ name, kind }) => name === IGNORE_FILE && kind === 'file')
      ? this.readIgnoreFile(pathIn(path, IGNORE_FILE))
      : undefined;
    const own =
      text === undefined ? rules : { ...rules, stack: withIgnoreFile(rules.stack, path, text), rulesKey: keyOf(rules.rulesKey, `${path}\0${text}`) };
    return { path, ...own, entries: new OrderedListing(), folders: new Set(), ignored: new Set(), hidden: new Map() };
  }

  readIgnoreFile(path: string): string | undefined {
    const root = this.#handle;
    try {
      const fd = openSync(throughFolder(root, path), READ_FLAGS);
      try {
        const stat = fstatSync(fd);
        return stat.isFile() && stat.size <= MAX_IGNORE_BYTES ? readFileSync(fd, 'latin1') : undefined;
      } finally {
        closeSync(fd);
      }
    } catch {
      // Git applies no rule of such a file either.
      return undefined;
    }
  }

  /** Adds the entries of a folder. */
  async fill(node: Node, entries: readonly Entry[], old: KnownFolder | undefined, slice: TimeSlice, nearer: Nearer = {}): Promise<void> {
    const judged = old?.rulesKey === node.rulesKey ? old : undefined;
    for (const entry of entries) {
      const isKnown = judged === undefined ? undefined : judged.ignored.has(entry.name) || (judged.entries.has(entry.name) ? false : undefined);
      const adding = this.add(node, entry, { known: old?.entries.get(entry.name), isIgnored: isKnown, slice, ...nearer });
      if (adding !== undefined) await adding;
      if (slice.isOver) await slice.next();
    }
  }

  /** Adds an entry of a folder if it counts. */
  add(node: Node, { name, kind }: Entry, adding: Adding): Promise<void> | undefined {
    if (name === '.git' || (kind !== 'file' && kind !== 'folder' && kind !== 'link')) return undefined;
    const path = pathIn(node.path, name);
    const isFolder = kind === 'folder';
    const ignored = node.isForced || (adding.isIgnored ?? isIgnored(node.stack, path, isFolder));
    if (ignored) node.ignored.add(name);
    if (ignored && !this.#countsAnyway(node, name, path, isFolder)) return undefined;
    if (this.#hides(utf8(path))) node.hidden.set(name, isFolder ? undefined : this.stampOf(path));
    else if (isFolder) node.folders.add(name);
    else return this.#addFile(node, name, path, adding);
    return undefined;
  }

  /** Whether an entry counts though a rule leaves it out: git tracks it, or it is a lock file. */
  #countsAnyway(node: Node, name: string, path: string, isFolder: boolean): boolean {
    if (isFolder) return this.#hasTrackedBelow(path);
    return this.#tracked.paths.has(path) || (!node.isForced && isLockFile(name));
  }

  #addFile(node: Node, name: string, path: string, { known, slice, handle, place }: Adding): Promise<void> | undefined {
    if (place !== undefined && known !== undefined && isAsKnown(bytesOf(`${place}/${name}`), known)) {
      node.entries.set(name, known);
      return undefined;
    }
    const keep = (entry: KnownEntry | undefined): void => {
      if (entry === undefined) return;
      if (entry !== known) this.hasRead = true;
      node.entries.set(name, entry);
    };
    try {
      const hashed = handle === undefined ? hashEntry(this.#handle, path, slice, known) : hashEntry(handle, name, slice, known);
      if (hashed instanceof Promise) return hashed.then(keep, (error: unknown) => this.#unreadable(node, name, error));
      keep(hashed);
    } catch (error) {
      this.#unreadable(node, name, error);
    }
    return undefined;
  }

  /** A file that is closed to this user is closed to commands too. */
  #unreadable(node: Node, name: string, error: unknown): void {
    const errno = errnoOf(error);
    if (CLOSED.has(errno)) node.hidden.set(name, this.stampOf(pathIn(node.path, name)));
    else if (!GONE.has(errno)) throw error;
  }

  /** What identifies an entry that is not read. */
  stampOf(path: string): string {
    const stat = lstatSync(throughFolder(this.#handle, path), { throwIfNoEntry: false });
    return stat === undefined ? UNSURE : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  }

  #hasTrackedBelow(folder: string): boolean {
    if (this.#trackedFolders === undefined) {
      this.#trackedFolders = new Set();
      for (const path of this.#tracked.paths) {
        for (let above = parentOf(path); above !== '' && !this.#trackedFolders.has(above); above = parentOf(above)) this.#trackedFolders.add(above);
      }
    }
    return this.#trackedFolders.has(folder);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#root[Symbol.dispose]();
  }

  /** Throws after disposal: the number of a closed handle may already belong to another folder. */
  assertOpen(): void {
    if (this.#isDisposed) throw new SynapseError('cancelled', 'The hands are closed.');
  }

  get #handle(): number {
    this.assertOpen();
    const { descriptor } = this.#root;
    if (descriptor === undefined) throw new TypeError('Folders cannot be held open on this system.');
    return descriptor;
  }
}
