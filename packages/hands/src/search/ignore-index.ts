import { nameOf, type TreeView } from '../danger/tree-view.ts';
import type { ChangeFeed } from '../workspace-index/change-feed.ts';
import { entriesOf, pathIn, type Folder } from '../workspace-index/folder.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import { TimeSlice } from '../events/timing.ts';
import { EXCLUDE_FILE, folderOf, IGNORE_FILE, readIgnoreFile, type IgnoreTexts } from './ignore-files.ts';

/** Maximum number of characters of all ignore files together. Further ones are not applied. */
const MAX_TOTAL = 16 * 1024 * 1024;

const isIgnoreFile = (path: string): boolean => nameOf(path) === IGNORE_FILE || path === EXCLUDE_FILE || path.endsWith(`/${EXCLUDE_FILE}`);

/** The ignore files of a workspace. */
interface KnownIgnoreFiles {
  readonly texts: IgnoreTexts;
  /** Those that cannot be applied: links, pipes, and what is too large. */
  readonly irregular: ReadonlySet<string>;
  /**
   * Counts the looks that found one of them replaced, even if it is the same again. Searches at the same time share the index: what one of
   * them has seen must count for all.
   */
  readonly replaced: number;
}

/** Knows the ignore files of a workspace as long as its folders are watched. The cost of a look follows what changed. */
export class IgnoreIndex {
  readonly #index: FolderIndex;
  readonly #texts = new Map<string, string>();
  readonly #irregular = new Set<string>();
  #feed: ChangeFeed | undefined;
  #version = -1;
  #replaced = 0;
  #total = 0;
  #state: 'new' | 'reading' | 'read' = 'new';

  constructor(index: FolderIndex) {
    this.#index = index;
  }

  /** Whether a look takes no time: the folders are watched, and were all read. */
  get isReady(): boolean {
    if (!this.#isWatched) return false;
    // Read in the background, as reading a large workspace takes much longer than a search.
    if (this.#state === 'new') void this.#readAll();
    return this.#state === 'read';
  }

  async #readAll(): Promise<void> {
    this.#state = 'reading';
    try {
      await this.#index.refresh();
      this.#state = 'read';
    } catch {
      // The hands were closed, or the next call that needs the folders fails for the same reason.
      this.#state = 'new';
    }
  }

  get #isWatched(): boolean {
    return this.#index.mode?.kind === 'watched';
  }

  /** Returns the ignore files of now; undefined if changes of them would go unnoticed. */
  async look(view: TreeView): Promise<KnownIgnoreFiles | undefined> {
    this.#feed ??= this.#index.follow(isIgnoreFile);
    const { folders, version, unread } = await this.#index.refresh();
    if (!this.#isWatched || unread.size > 0) return undefined;
    const changed = this.#index.changedSince(this.#version);
    const { files, all, touched } = this.#feed.take();
    this.#version = version;
    const isAll = changed === undefined || all;
    if (isAll || touched || files.size > 0) this.#replaced += 1;
    if (isAll) this.#forgetAll();
    const slice = new TimeSlice();
    for (const path of isAll ? folders.keys() : changed) {
      this.#readFolder(view, path, folders.get(path));
      if (slice.isOver) await slice.next();
    }
    for (const path of files.keys()) this.#read(view, path);
    return { texts: this.#texts, irregular: this.#irregular, replaced: this.#replaced };
  }

  #readFolder(view: TreeView, path: string, folder: Folder | undefined): void {
    const isInfo = path === '.git/info' || path.endsWith('/.git/info');
    const name = isInfo ? 'exclude' : IGNORE_FILE;
    const at = pathIn(path, name);
    // Looked for in the whole listing first: nearly no folder has one.
    const hasOne = folder?.listing.includes(name) === true && entriesOf(folder).some((entry) => entry.name === name && entry.kind !== 'folder');
    if (hasOne) this.#read(view, at);
    else this.#forget(at);
  }

  #read(view: TreeView, path: string): void {
    this.#forget(path);
    const type = view.type(path);
    if (type === undefined || type === 'folder') return;
    const text = readIgnoreFile(view, path);
    if (text === undefined || this.#total + text.length > MAX_TOTAL) this.#irregular.add(path);
    else {
      this.#total += text.length;
      this.#texts.set(path, text);
    }
  }

  #forget(path: string): void {
    this.#total -= this.#texts.get(path)?.length ?? 0;
    this.#texts.delete(path);
    this.#irregular.delete(path);
  }

  #forgetAll(): void {
    this.#texts.clear();
    this.#irregular.clear();
    this.#total = 0;
  }
}

/** Whether an ignore file counts for a search in a folder. */
export function concerns(path: string, place: string): boolean {
  const folder = folderOf(path);
  return place === '' || folder === place || folder.startsWith(`${place}/`) || folder === '' || place.startsWith(`${folder}/`);
}
