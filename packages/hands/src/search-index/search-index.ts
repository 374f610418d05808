import { lstatSync } from 'node:fs';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { entriesOf, type Folder } from '../workspace-index/folder.ts';
import type { ChangeFeed, FileChange } from '../workspace-index/change-feed.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import { throughFolder } from '../workspace-index/open-folder.ts';
import { settlesWithin } from '../events/timing.ts';
import { IndexedFiles } from './indexed-files.ts';
import { IndexReader } from './index-reader.ts';
import type { RequiredGrams } from './required-text.ts';
import { isInGit, Walk } from './walk.ts';

/** Number of files that are read at once. */
const BATCH = 64;
/** Maximum milliseconds until a change without an event is noticed, such as one by another name of a file. */
const MAX_AGE_MS = 60_000;
/** Milliseconds after which changes without an event are looked for in the background, so that no search waits for it. */
const SWEEP_SOON_MS = 20_000;
/** Milliseconds that a search waits for that: the thread may be busy, or held by a file system that does not answer. ripgrep takes no longer. */
const SWEEP_WAIT = { ms: 250, msPerFile: 0.005 };
/** Number of files that were not read yet, from which on nothing is looked for: these are too many to search. */
const MAX_WAITING = 4_000;
const MAX_WALKS = 8;
/** Maximum number of files. A workspace with more is searched without the index. */
const MAX_FILES = 1_200_000;
/** Maximum number of new names that are looked at one by one. */
const MAX_LOOKS = 100;

/** The files of a walk that may match. */
export interface MayMatch {
  /** Numbers of files. */
  readonly ids: readonly number[];
  /** Paths of files of which it is unknown whether ripgrep would search them. */
  readonly unknown: ReadonlySet<string>;
}

/** What reads files for the index. */
type Reader = Pick<IndexReader, 'ask' | 'forget' | 'hasEnded' | typeof Symbol.asyncDispose>;

const hasGit = (folder: Folder | undefined): boolean =>
  folder?.listing.includes('.git') === true && entriesOf(folder).some(({ name }) => name === '.git');

/**
 * Knows which files cannot hold what is searched for. It follows the folders of the workspace: after {@link sync}, every file that was
 * changed before counts as one that may match, until it was read again.
 */
export class SearchIndex implements AsyncDisposable {
  readonly #folders: FolderIndex;
  readonly #feed: ChangeFeed;
  readonly #root: PinnedDirectory;
  readonly #reader: Reader;
  #files = new IndexedFiles();
  readonly #walks = new Map<string, Walk>();
  /** Walks that have not ended. */
  readonly #begun = new Set<Walk>();
  /** Folders that have an entry `.git`: ripgrep applies no rules from above to them. */
  #repositories = new Set<string>();
  #version = -1;
  #sweptAt = performance.now();
  /** When something was last seen after which only a later sweep counts. */
  #suspectAt = -Infinity;
  #sweeping: { readonly at: number; readonly done: Promise<void> } | undefined;
  #reading: Promise<void> | undefined;

  /**
   * @param root the workspace. It is closed when the thread of the index has ended
   * @param reader default: a thread
   */
  constructor(
    folders: FolderIndex,
    root: PinnedDirectory,
    descriptor: number,
    reader: Reader = new IndexReader({ root: descriptor }, () => root[Symbol.dispose]()),
  ) {
    this.#folders = folders;
    this.#root = root;
    // Collecting garbage moves tens of thousands of objects, and no walk finds them.
    this.#feed = folders.follow((path) => !isInGit(path));
    this.#reader = reader;
  }

  get files(): Pick<IndexedFiles, 'pathOf' | 'endsIn' | 'has' | 'modified' | 'bytes' | 'isUnreadable'> {
    return this.#files;
  }

  /** Resolves when there is nothing left to read. For tests. */
  async settled(): Promise<void> {
    while (this.#reading !== undefined) await this.#reading;
  }

  /** Ends the thread that reads files. For tests. */
  async endReader(): Promise<void> {
    await this.#reader[Symbol.asyncDispose]();
  }

  #noteAll(files: ReturnType<ChangeFeed['take']>['files']): void {
    let looks = 0;
    for (const [path, change] of files) {
      this.#note(path, change);
      // Of a file with several names, another one may be known here.
      if (change === 'created' && (looks += 1) <= MAX_LOOKS && !this.#hasOneName(path)) this.#suspectAt = performance.now();
    }
    if (looks > MAX_LOOKS) this.#suspectAt = performance.now();
  }

  /** Learns of every change that was made before, if there is an event for it. Returns false if that is not possible. */
  async sync(): Promise<boolean> {
    if (this.#reader.hasEnded) return false;
    const { folders, version, unread } = await this.#folders.refresh();
    const changed = this.#folders.changedSince(this.#version);
    const { files, all } = this.#feed.take();
    this.#version = version;
    const isKnown = this.#folders.mode?.kind === 'watched' && unread.size === 0;
    // Numbers are not used again, so that many files may have come and gone.
    const isFull = this.#files.end >= 2 * MAX_FILES;
    if (this.#files.size >= MAX_FILES) await this.#reader[Symbol.asyncDispose]();
    if (!isKnown || all || changed === undefined || isFull) {
      this.#reset(folders);
      return isKnown && !this.#reader.hasEnded;
    }
    if ([...changed].some((path) => hasGit(folders.get(path)) !== this.#repositories.has(path))) this.#forgetWalks(folders);
    this.#noteAll(files);
    this.#read();
    return !this.#reader.hasEnded;
  }

  /**
   * Whether changes without an event were looked for lately. Starts to look for them otherwise.
   *
   * @param isWaiting whether to wait for it
   */
  async isSwept(isWaiting: boolean): Promise<boolean> {
    if (this.#files.waiting > MAX_WAITING) return false;
    const now = performance.now();
    const age = this.#sweptAt >= this.#suspectAt ? now - this.#sweptAt : Infinity;
    if (age >= SWEEP_SOON_MS && (this.#sweeping === undefined || this.#sweeping.at < this.#suspectAt))
      this.#sweeping = { at: now, done: this.#sweep(now) };
    if (age < MAX_AGE_MS) return true;
    const most = SWEEP_WAIT.ms + this.#files.size * SWEEP_WAIT.msPerFile;
    if (!isWaiting || this.#sweeping === undefined || !(await settlesWithin(this.#sweeping.done, most))) return false;
    this.#read();
    return !this.#reader.hasEnded && this.#sweptAt >= this.#suspectAt;
  }

  /** Returns the walk of a folder, without those names that came since. Valid after {@link sync}. */
  walk(place: string, rules: string): Walk | undefined {
    const walk = this.#walks.get(place);
    return walk?.rules === rules ? walk : undefined;
  }

  isWalking(place: string): boolean {
    return [...this.#begun].some((walk) => walk.place === place);
  }

  /** Begins to follow what a walk will find. */
  begin(place: string, rules: string): Walk {
    const walk = new Walk(place, rules);
    this.#begun.add(walk);
    return walk;
  }

  /** Adds a file that a walk found. @param mayRead whether it may be read here */
  found(walk: Walk, path: string, mayRead: (path: string) => boolean): void {
    // It was forgotten, or the file went since it began.
    if (!this.#begun.has(walk) || walk.gone.has(path)) return;
    walk.add(this.#files.idOf(path) ?? this.#files.add(path, mayRead(path)));
  }

  /** Ends a walk. @param isWhole whether it found all files */
  end(walk: Walk, isWhole: boolean): void {
    // Undefined once everything was forgotten meanwhile.
    if (!this.#begun.delete(walk) || !isWhole) return;
    walk.gone.clear();
    for (const path of walk.unknown) {
      const id = this.#files.idOf(path);
      if (id !== undefined && walk.has(id)) walk.unknown.delete(path);
    }
    this.#walks.delete(walk.place);
    this.#walks.set(walk.place, walk);
    const [oldest] = this.#walks.keys();
    if (this.#walks.size > MAX_WALKS && oldest !== undefined) this.#walks.delete(oldest);
    this.#read();
  }

  /** Returns the files of a walk that may match; undefined if these are too many. Valid after {@link sync}. */
  mayMatch(walk: Walk, required: RequiredGrams, atMost: number): MayMatch | undefined {
    const ids = this.#files.mayMatch(required, (id) => walk.has(id), atMost);
    return ids && { ids, unknown: walk.unknown };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]();
  }

  #note(path: string, change: FileChange): void {
    const id = this.#files.idOf(path);
    if (change === 'deleted') {
      if (id !== undefined) this.#files.remove(id);
      for (const walk of this.#walks.values()) walk.unknown.delete(path);
      for (const walk of this.#begun) walk.noteGone(path);
      return;
    }
    if (id !== undefined) this.#files.touch(id);
    if (change !== 'created') return;
    for (const walk of this.#walks.values()) if (id === undefined || !walk.has(id)) walk.noteUnknown(path);
    for (const walk of this.#begun) walk.noteUnknown(path);
  }

  #hasOneName(path: string): boolean {
    try {
      const stat = lstatSync(throughFolder(this.#root.descriptor ?? -1, path), { throwIfNoEntry: false });
      return stat === undefined || stat.nlink === 1;
    } catch {
      return false;
    }
  }

  async #sweep(at: number): Promise<void> {
    const files = this.#files;
    const reply = await this.#reader.ask<'sweep'>({ kind: 'sweep' });
    if (this.#sweeping?.at === at) this.#sweeping = undefined;
    if (reply?.kind !== 'swept') return;
    this.#sweptAt = Math.max(this.#sweptAt, at);
    if (files !== this.#files) return;
    for (const id of reply.changed) files.touch(id);
  }

  #forgetWalks(folders: ReadonlyMap<string, Folder>): void {
    this.#walks.clear();
    this.#begun.clear();
    this.#repositories = new Set([...folders].flatMap(([path, folder]) => (hasGit(folder) ? [path] : [])));
  }

  #reset(folders: ReadonlyMap<string, Folder>): void {
    this.#forgetWalks(folders);
    this.#files = new IndexedFiles();
    this.#sweptAt = performance.now();
    this.#reader.forget();
  }

  #read(): void {
    this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined));
  }

  async #readAll(): Promise<void> {
    for (;;) {
      const files = this.#files;
      const tickets = files.takeStale(BATCH);
      if (tickets.length === 0) return;
      const order = { files: tickets.map(({ id }) => ({ id, path: files.pathOf(id) })), bitsPerGram: files.bitsPerGram };
      const reply = await this.#reader.ask<'read'>({ kind: 'read', ...order });
      if (reply?.kind !== 'read') return;
      for (const [at, ticket] of tickets.entries()) {
        const file = reply.files[at];
        if (file !== undefined) files.settle(ticket, file);
      }
    }
  }
}
