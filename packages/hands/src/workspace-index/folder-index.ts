import { closeSync, fstatSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { ChangeFeeds, type ChangeFeed } from './change-feed.ts';
import { NOTHING_PENDING, PendingChanges, foldersIn, pathIn, type ChangedNames, type Folder } from './folder.ts';
import { FolderBelow, type BelowOptions } from './folder-below.ts';
import { FolderWatches, isWatchable, mountsBelow } from './folder-watches.ts';
import {
  hasFile,
  haveSameEntries,
  isSameFolder,
  openFolderBelow,
  openKnownFolder,
  readFailure,
  readFolder,
  throughHandle,
  type ReadFailure,
} from './open-folder.ts';
import { TimeSlice } from '../events/timing.ts';
import { MOVED, walkFolders, type WalkVisitor } from './walk-folders.ts';

/** The folders of a workspace, as they were at a moment after the request. */
export interface FolderState {
  /** By path relative to the root; one character per byte (latin1). Always the same map, which keeps changing. */
  readonly folders: ReadonlyMap<string, Folder>;
  /** Differs after any change in the workspace. */
  readonly version: number;
  /** Unreadable folders, with the reason; empty if everything was read. */
  readonly unread: ReadonlyMap<string, string>;
}

/** How the index is kept up to date. */
export type IndexMode =
  | { readonly kind: 'watched'; readonly folders: number }
  /** Each request walks the whole workspace. */
  | { readonly kind: 'walked'; readonly reason: string };

export interface FolderIndexOptions {
  /**
   * A folder whose content shows through the workspace, which is a branch of it: its changes are changes of the workspace, without an event
   * there. `unknown` if there is such a folder, and it cannot be watched. Default: none.
   */
  readonly below?: BelowOptions | 'unknown' | undefined;
  /** For tests. */
  readonly queueLimit?: number;
  /** Called before a folder is watched; may throw to simulate a failure. */
  readonly onWatch?: (watched: number) => void;
}

/** Maximum number of walks if folders move during a walk. */
const MAX_WALKS = 3;
/** Milliseconds for which the list of mounts counts as current in a request that every write makes: reading it takes longer than the rest. */
const MOUNTS_AGE_MS = 1_000;
/** Maximum number of logged changes; callers with an older version have to check everything. */
const MAX_LOG = 20_000;

/**
 * Knows all folders of a workspace. They are read once and then watched: a request waits until all events of earlier
 * changes have arrived, and reads the changed folders again. If events may have been lost, or folders cannot be
 * watched, it walks. It never follows a link, and has no limit on depth, path length or number of folders.
 */
export class FolderIndex implements Disposable {
  readonly #root: PinnedDirectory;
  readonly #rootPath: string;
  readonly #options: FolderIndexOptions;
  readonly #below: FolderBelow | undefined;
  readonly #folders = new Map<string, Folder>();
  readonly #unread = new Map<string, string>();
  /** Folders closed to this user, until an event reports a change. */
  readonly #closed = new Set<string>();
  readonly #feeds = new ChangeFeeds();
  /** Undefined without events since the last update. */
  #pending: PendingChanges | undefined;
  readonly #devices = new Set<number>();
  #watches: FolderWatches | undefined;
  /** Why nothing is watched; undefined while that may change. */
  #unwatchable: string | undefined;
  #mounts = '';
  #mountsAt = -Infinity;
  #log: Array<{ readonly version: number; readonly path: string }> = [];
  #logFrom = 0;
  #version = 0;
  #uses = 0;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<FolderState> | undefined;
  #isDisposed = false;

  constructor(confinement: Confinement, options: FolderIndexOptions = {}) {
    this.#root = confinement.openDirectory([]);
    this.#rootPath = confinement.root;
    this.#options = options;
    if (confinement.tier !== 'handle') this.#unwatchable = 'folders cannot be held open on this system';
    if (options.below === 'unknown') this.#unwatchable = 'it shows what is changed in another branch';
    this.#below = typeof options.below === 'object' ? new FolderBelow(options.below) : undefined;
  }

  /** How the index is kept up to date; undefined before the first request. */
  get mode(): IndexMode | undefined {
    if (this.#watches !== undefined) return { kind: 'watched', folders: this.#watches.size };
    return this.#unwatchable === undefined ? undefined : { kind: 'walked', reason: this.#unwatchable };
  }

  /** Whether the content of another folder shows through the workspace. */
  get showsBelow(): boolean {
    return this.#below !== undefined;
  }

  /** Returns the current folders. */
  refresh(): Promise<FolderState> {
    // Requests during a pending one share an answer: it starts after all of them.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const work = this.#refresh(true);
      this.#running = work.catch(() => {});
      return work;
    });
    return this.#next;
  }

  /**
   * Returns the current folders, for a request that every write makes. A new mount is noticed within a second. Does not watch
   * the folders in the first request, as most shell commands make only one, and a walk alone takes half of the time.
   */
  look(): Promise<FolderState> {
    this.#uses += 1;
    if (this.#next !== undefined) return this.#next;
    const [isWatching, mountsAge] = [this.#watches !== undefined || this.#uses > 1, MOUNTS_AGE_MS];
    const work = this.#running.then(() => this.#refresh(isWatching, mountsAge));
    this.#running = work.catch(() => {});
    return work;
  }

  /**
   * Returns the current version of the workspace, for caches; undefined if it is unknown without a walk. The first
   * request starts nothing, as most shell commands make only one. From the second on, the index is built.
   */
  async version(): Promise<number | undefined> {
    if (this.#unwatchable !== undefined || this.#isDisposed) return undefined;
    if (this.#watches === undefined) {
      this.#uses += 1;
      // Errors occur again in the first call that needs the folders.
      if (this.#uses > 1) void this.refresh().catch(() => {});
      return undefined;
    }
    const { version, unread } = await this.refresh();
    return this.mode?.kind === 'watched' && unread.size === 0 ? version : undefined;
  }

  /** Returns the folders in which names changed, or that were removed, since a version; undefined if all may be. */
  changedSince(version: number): ReadonlySet<string> | undefined {
    if (version < this.#logFrom) return undefined;
    const changed = new Set<string>();
    // From the end: most callers ask about the last changes.
    for (let at = this.#log.length - 1; at >= 0; at -= 1) {
      const entry = this.#log[at];
      if (entry === undefined || entry.version <= version) break;
      changed.add(entry.path);
    }
    return changed;
  }

  /** Collects the files that change from now on. Up to date after {@link version} or {@link refresh}. */
  follow(wanted: (path: string) => boolean): ChangeFeed {
    return this.#feeds.open(wanted);
  }

  [Symbol.dispose](): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#root[Symbol.dispose]();
    this.#below?.[Symbol.dispose]();
    // In the background: closing thousands of watches would delay closing the hands.
    void this.#stopWatching();
  }

  async #refresh(isWatching: boolean, mountsAge = 0): Promise<FolderState> {
    if (this.#watches === undefined) await this.#walkAll(isWatching);
    else if (!(await this.#watches.barrier()) || this.#haveMountsChanged(mountsAge)) await this.#rebuild();
    else await this.#update();
    return { folders: this.#folders, version: this.#version, unread: this.#unread };
  }

  async #rebuild(): Promise<void> {
    await this.#stopWatching();
    await this.#walkAll(true);
  }

  #haveMountsChanged(maxAge: number): boolean {
    const now = performance.now();
    if (now - this.#mountsAt < maxAge) return false;
    this.#mountsAt = now;
    return mountsBelow(this.#rootPath) !== this.#mounts;
  }

  async #walkAll(isWatching: boolean): Promise<void> {
    const slice = new TimeSlice();
    for (let tries = 1; ; tries += 1) {
      this.#assertOpen();
      this.#forget();
      if (isWatching && this.#unwatchable === undefined) {
        this.#mounts = mountsBelow(this.#rootPath);
        this.#watches = new FolderWatches((path, name, kind) => this.#onEvent(path, name, kind), this.#options.queueLimit);
      }
      await walkFolders({ parent: this.#handle, name: '.', path: '' }, this.#visitor(), slice);
      if (![...this.#unread.values()].includes(MOVED) || tries >= MAX_WALKS) return;
      await this.#stopWatching();
    }
  }

  /** Resets the index, as everything may have changed. */
  #forget(): void {
    this.#version += 1;
    this.#log = [];
    this.#logFrom = this.#version;
    this.#folders.clear();
    this.#unread.clear();
    this.#closed.clear();
    this.#devices.clear();
    this.#pending = undefined;
    this.#feeds.addAll();
  }

  get #handle(): number {
    const { descriptor } = this.#root;
    if (descriptor === undefined) throw new SynapseError('unavailable', 'Folders cannot be held open on this system.');
    return descriptor;
  }

  #assertOpen(): void {
    // A closed handle's number may already belong to another folder.
    if (this.#isDisposed) throw new SynapseError('cancelled', 'The hands are closed.');
  }

  #onEvent(path: string, name: string | undefined, kind: 'names' | 'content'): void {
    const below = name === undefined ? undefined : pathIn(path, name);
    const isFolder = below !== undefined && (this.#folders.has(below) || this.#closed.has(below));
    // Mode changes of a folder are reported as events of its parent.
    this.#pending ??= new PendingChanges();
    if (kind === 'content' && !isFolder && name !== undefined) this.#pending.addContent(below ?? path, this.#feeds.exist);
    else {
      this.#pending.addNames(path, name);
      this.#feeds.touch(below);
    }
  }

  async #update(): Promise<void> {
    await this.#below?.settled();
    const { names, contents, allContents } = this.#pending?.all ?? NOTHING_PENDING;
    this.#pending = undefined;
    const retried = [...this.#unread.keys()];
    if (names.size === 0 && contents === 0 && retried.length === 0) return;
    const slice = new TimeSlice();
    this.#version += 1;
    if (allContents === undefined) this.#feeds.addAll();
    else for (const path of allContents) this.#feeds.add(path, 'changed');
    // Top-down: the contents of a removed folder need not be read.
    for (const path of [...names.keys()].toSorted()) {
      const changed = names.get(path);
      if (changed !== undefined) await this.#readAgain(path, changed, slice);
      if (slice.isOver) await slice.next();
    }
    for (const path of retried) if (this.#unread.has(path)) await this.#rescan(path, slice);
  }

  /** Reads a folder again, and its subfolders that are new or may have been replaced. */
  async #readAgain(path: string, changed: ChangedNames, slice: TimeSlice): Promise<void> {
    const before = this.#folders.get(path);
    if (before === undefined) return;
    this.#assertOpen();
    let handle: number;
    try {
      handle = openKnownFolder(this.#handle, path, before) ?? openFolderBelow(this.#handle, path);
    } catch (error) {
      if (path !== '' && readFailure(error, this.#handle, '.').kind === 'gone') await this.#drop(path, slice);
      else this.#unread.set(path, errnoOf(error) ?? 'unknown');
      return;
    }
    try {
      if (this.#isSameListing(handle, path, before, changed)) return;
      const now = await readFolder(handle, fstatSync(handle), slice);
      if (now.device !== before.device || now.inode !== before.inode) {
        await this.#rescan(path, slice);
        return;
      }
      this.#unread.delete(path);
      this.#folders.set(path, now);
      this.#note(path);
      this.#feeds.addDifference(path, before, now, changed);
      const [old, fresh] = [new Set(foldersIn(before)), new Set(foldersIn(now))];
      for (const name of old) if (!fresh.has(name)) await this.#drop(pathIn(path, name), slice);
      for (const name of fresh) {
        if (old.has(name) && !changed.has(name)) continue;
        await this.#drop(pathIn(path, name), slice);
        await walkFolders({ parent: handle, name, path: pathIn(path, name) }, this.#visitor(), slice);
      }
    } finally {
      closeSync(handle);
    }
  }

  /** Whether only contents of files changed, such as by a write that replaces a file: then a large folder need not be read. */
  #isSameListing(handle: number, path: string, before: Folder, { names }: ChangedNames): boolean {
    if (names === undefined || this.#unread.has(path) || !isSameFolder(handle, before) || !haveSameEntries(handle, before, names)) return false;
    // A new object: the files are others.
    this.#folders.set(path, { ...before });
    if (this.#feeds.exist) for (const name of names) if (hasFile(before, name)) this.#feeds.add(pathIn(path, name), 'changed');
    return true;
  }

  /** Reads a folder and everything in it as if it were new. */
  async #rescan(path: string, slice: TimeSlice): Promise<void> {
    await this.#drop(path, slice);
    this.#assertOpen();
    const names = path.split('/');
    const name = path === '' ? '.' : (names.pop() ?? '.');
    let parent: number;
    try {
      parent = openFolderBelow(this.#handle, path === '' ? '' : names.join('/'));
    } catch {
      // The parent folder is read again separately.
      return;
    }
    try {
      await walkFolders({ parent, name, path }, this.#visitor(), slice);
    } finally {
      closeSync(parent);
    }
  }

  /** Removes a folder and everything below it. */
  async #drop(path: string, slice: TimeSlice): Promise<void> {
    const left = [path];
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      this.#unread.delete(at);
      this.#closed.delete(at);
      const folder = this.#folders.get(at);
      if (folder === undefined) continue;
      this.#folders.delete(at);
      this.#watches?.remove(at);
      this.#note(at);
      this.#feeds.addFolder(at, folder, 'deleted');
      for (const name of foldersIn(folder)) left.push(pathIn(at, name));
      if (slice.isOver) await slice.next();
    }
  }

  #visitor(): WalkVisitor {
    return {
      opened: (path, handle, { dev }) => this.#watch(path, handle, dev),
      read: (path, folder) => {
        this.#folders.set(path, folder);
        this.#note(path);
        this.#feeds.addFolder(path, folder, 'created');
      },
      failed: (path, failure) => this.#failed(path, failure),
    };
  }

  #failed(path: string, failure: ReadFailure): void {
    if (failure.kind === 'unreadable') this.#unread.set(path, failure.reason);
    else if (failure.kind === 'closed') this.#closed.add(path);
    // The root cannot disappear without notice.
    else if (path === '') this.#unread.set(path, 'it is gone');
  }

  #watch(path: string, handle: number, dev: number): void {
    if (this.#watches === undefined) return;
    try {
      if (!this.#devices.has(dev) && !isWatchable(throughHandle(handle))) throw new Error('its file system does not tell of every change');
      this.#devices.add(dev);
      this.#options.onWatch?.(this.#watches.size);
      this.#watches.add(path, handle);
      this.#below?.watch(path, this.#watches);
    } catch (error) {
      const errno = errnoOf(error);
      this.#unwatchable =
        errno === 'ENOSPC'
          ? 'the limit of watched folders is reached (fs.inotify.max_user_watches)'
          : (errno ?? String(error instanceof Error && error.message));
      void this.#stopWatching();
    }
  }

  async #stopWatching(): Promise<void> {
    const watches = this.#watches;
    this.#watches = undefined;
    await watches?.close(new TimeSlice());
  }

  #note(path: string): void {
    if (this.#logFrom === this.#version) return;
    this.#log.push({ version: this.#version, path });
    if (this.#log.length <= MAX_LOG) return;
    this.#log = [];
    this.#logFrom = this.#version;
  }
}
