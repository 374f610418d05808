import { entriesOf, pathIn, type ChangedNames, type Folder } from './folder.ts';

/** A change to a file. */
export type FileChange = 'created' | 'changed' | 'deleted';

/** Changes since the last call. */
export interface Changes {
  /** By path relative to the root; one character per byte (latin1). */
  readonly files: ReadonlyMap<string, FileChange>;
  /** Whether everything may have changed: there were too many changes, or they are unknown. */
  readonly all: boolean;
  /** Whether a wanted name came or went, even if it is the same again, or nothing is left of it. */
  readonly touched: boolean;
}

/** Maximum number of changes; above it, everything counts as changed. */
const MAX_CHANGES = 5_000;

/** Collects changes for a consumer that polls. */
export class ChangeFeed {
  readonly #wanted: (path: string) => boolean;
  #files = new Map<string, FileChange>();
  /** Files that were not there at the last call: they stay new, even if they went in between. */
  #fresh = new Set<string>();
  /** Files that were there at the last call, and went since. */
  #gone = new Set<string>();
  #all = true;
  #touched = false;

  /** @param wanted whether the path of a file is relevant */
  constructor(wanted: (path: string) => boolean) {
    this.#wanted = wanted;
  }

  /** Whether everything counts as changed anyway. */
  get hasAll(): boolean {
    return this.#all;
  }

  add(path: string, change: FileChange): void {
    if (this.#all || !this.#wanted(path)) return;
    // The content of a file that came is often reported before its name is.
    if (change === 'created' && !this.#gone.has(path)) this.#fresh.add(path);
    if (change === 'deleted' && !this.#fresh.has(path)) this.#gone.add(path);
    this.#files.set(path, change === 'deleted' ? change : this.#fresh.has(path) ? 'created' : 'changed');
    if (this.#files.size > MAX_CHANGES) this.addAll();
  }

  /** @param path undefined if it may be any */
  touch(path: string | undefined): void {
    this.#touched ||= path === undefined || this.#wanted(path);
  }

  addAll(): void {
    this.#all = true;
    this.#files.clear();
    this.#fresh.clear();
    this.#gone.clear();
  }

  /** Returns the changes since the last call; the first time, everything. */
  take(): Changes {
    const changes = { files: this.#files, all: this.#all, touched: this.#touched };
    this.#files = new Map();
    this.#fresh = new Set();
    this.#gone = new Set();
    this.#all = false;
    this.#touched = false;
    return changes;
  }
}

const filesIn = (folder: Folder): Set<string> => new Set(entriesOf(folder).flatMap(({ name, kind }) => (kind === 'file' ? [name] : [])));

/** All feeds of an index. */
export class ChangeFeeds {
  readonly #feeds = new Set<ChangeFeed>();

  /** Whether any consumer follows changes: without one, they need not be found. */
  get exist(): boolean {
    return this.#feeds.size > 0;
  }

  /** Whether a single change is new to any: the first walk would list each file otherwise. */
  get #needSingle(): boolean {
    return [...this.#feeds].some(({ hasAll }) => !hasAll);
  }

  open(wanted: (path: string) => boolean): ChangeFeed {
    const feed = new ChangeFeed(wanted);
    this.#feeds.add(feed);
    return feed;
  }

  add(path: string, change: FileChange): void {
    for (const feed of this.#feeds) feed.add(path, change);
  }

  touch(path: string | undefined): void {
    for (const feed of this.#feeds) feed.touch(path);
  }

  addAll(): void {
    for (const feed of this.#feeds) feed.addAll();
  }

  /** Adds all files of a folder that came or went as a whole. */
  addFolder(path: string, folder: Folder, change: 'created' | 'deleted'): void {
    if (this.#needSingle) for (const name of filesIn(folder)) this.add(pathIn(path, name), change);
  }

  /** Adds the files of a folder that came, went, or were reported as changed. */
  addDifference(path: string, before: Folder, now: Folder, changed: ChangedNames): void {
    if (!this.#needSingle) return;
    const [old, fresh] = [filesIn(before), filesIn(now)];
    for (const name of old) if (!fresh.has(name)) this.add(pathIn(path, name), 'deleted');
    for (const name of fresh) {
      if (!old.has(name)) this.add(pathIn(path, name), 'created');
      else if (changed.has(name)) this.add(pathIn(path, name), 'changed');
    }
  }
}
