import { nameOf, parentOf } from '../danger/tree-view.ts';
import { TimeSlice } from '../events/timing.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { ChangeFeed } from '../workspace-index/change-feed.ts';
import { entriesOf, pathIn, type Entry, type Folder } from '../workspace-index/folder.ts';
import type { FolderIndex, FolderState } from '../workspace-index/folder-index.ts';
import { FolderReader, isIgnoreFile, type KnownFolder, type Node, type Rules } from './folder-reader.ts';
import { hasFile } from '../workspace-index/open-folder.ts';
import { TreeFolders, type TreeState } from './tree-folders.ts';
import type { SavedFolder, TreeStore } from './tree-store.ts';

export interface WorkspaceTreeOptions {
  readonly confinement: Confinement;
  readonly index: FolderIndex;
  readonly store: TreeStore;
  /** Whether commands cannot read a path, relative to the workspace. */
  readonly hides: (path: string) => boolean;
}

const inRepositoryData = (path: string): boolean => path === '.git' || path.startsWith('.git/') || path.includes('/.git/') || path.endsWith('/.git');

const EVERYTHING = { files: new Map<string, never>(), all: true };
const keepsRules = ({ files, all }: typeof EVERYTHING | ReturnType<ChangeFeed['take']>): boolean => !all && ![...files.keys()].some(isIgnoreFile);
const NOTHING_SAVED: ReadonlyMap<string, SavedFolder> = new Map();

/**
 * The content hash of what commands can read in a workspace: files that are tracked, or not ignored, and lock files. Stands on the
 * folder index, so a request costs as much as what changed since the last one.
 */
export class WorkspaceTree implements Disposable {
  readonly #index: FolderIndex;
  readonly #store: TreeStore;
  readonly #reader: FolderReader;
  #folders = new TreeFolders();
  #saved: ReadonlyMap<string, SavedFolder> | undefined;
  #feed: ChangeFeed | undefined;
  #version = -1;
  #indexed: FolderState['folders'] = new Map();
  #state: TreeState | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor({ confinement, index, store, hides }: WorkspaceTreeOptions) {
    this.#index = index;
    this.#store = store;
    this.#reader = new FolderReader(confinement, hides);
  }

  /**
   * Brings the tree up to date with a state of the index.
   *
   * @returns the tree, or why it cannot be known
   */
  at(state: FolderState): Promise<TreeState | string> {
    const work = this.#running.then(() => this.#update(state));
    this.#running = work.catch(() => {});
    return work;
  }

  /** Begins to follow changes: before the first state of the index is taken. */
  follow(): void {
    this.#feed ??= this.#index.follow((path) => isIgnoreFile(path) || !inRepositoryData(path));
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
    if (this.#reader.hasRead && this.#state !== undefined) this.#store.save(this.#folders.toSave(this.#state, this.#indexed));
    this.#reader.hasRead = false;
  }

  async #update({ folders, version, unread }: FolderState): Promise<TreeState | string> {
    if (unread.size > 0) return 'a folder of the workspace cannot be read';
    this.follow();
    this.#indexed = folders;
    const isWatched = this.#index.mode?.kind === 'watched';
    const known = this.#state;
    if (isWatched && known !== undefined && version === this.#version) return known;
    const changed = this.#index.changedSince(this.#version);
    const changes = this.#feed?.take() ?? EVERYTHING;
    const isOfIgnored = this.#reader.lookAtTracked().some((path) => this.#isOfIgnored(path));
    const isPart = isWatched && known !== undefined && keepsRules(changes) && !isOfIgnored;
    // A failure in between leaves nothing behind that counts.
    this.#state = undefined;
    const dirty = isPart && changed !== undefined ? await this.#readChanged(folders, changed, changes.files.keys()) : await this.#sweep(folders);
    this.#version = version;
    const sealing = { store: this.#store, reader: this.#reader };
    return (this.#state = dirty === undefined ? this.#folders.sealAll(sealing) : this.#folders.seal(dirty, known?.hash, sealing));
  }

  /** Whether git tracks a path, or did until now, that its rules ignore. */
  #isOfIgnored(path: string): boolean {
    const node = this.#folders.get(parentOf(path));
    return node === undefined || node.isForced || node.ignored.has(nameOf(path));
  }

  /** Reads all folders. Files whose stamps are known are not read. */
  async #sweep(folders: FolderState['folders']): Promise<undefined> {
    this.#saved ??= this.#store.saved();
    const before = this.#folders;
    this.#folders = new TreeFolders();
    const slice = new TimeSlice();
    await this.#addFolders({ path: '', rules: this.#reader.rulesOfRoot() }, folders, slice, (path) => before.get(path) ?? this.#saved?.get(path));
    this.#saved = NOTHING_SAVED;
    return undefined;
  }

  /** Adds a folder and all folders in it. */
  async #addFolders(
    start: Place,
    folders: FolderState['folders'],
    slice: TimeSlice,
    known: (path: string) => KnownFolder | undefined,
  ): Promise<string[]> {
    const added: string[] = [];
    const left = [start];
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      this.#reader.assertOpen();
      const { path, rules } = at;
      const folder = folders.get(path);
      if (folder === undefined) continue;
      const entries = entriesOf(folder);
      const node = this.#reader.nodeFor(path, rules, entries);
      await this.#reader.fill(node, entries, known(path), slice);
      this.#folders.set(path, node);
      added.push(path);
      for (const name of node.folders) left.push({ path: pathIn(path, name), rules: this.#reader.rulesBelow(node, name) });
      if (slice.isOver) await slice.next();
    }
    return added;
  }

  /** Reads again what the index reports as changed. */
  async #readChanged(folders: FolderState['folders'], changed: ReadonlySet<string>, files: Iterable<string>): Promise<Set<string>> {
    const dirty = new Set<string>();
    const slice = new TimeSlice();
    const names = new Map<string, Set<string>>();
    for (const path of files) {
      const folder = parentOf(path);
      const set = names.get(folder);
      if (set === undefined) names.set(folder, new Set([nameOf(path)]));
      else set.add(nameOf(path));
    }
    // Top-down: what is in a removed folder needs no look.
    for (const path of [...new Set([...changed, ...names.keys()])].toSorted()) {
      const node = this.#folders.get(path);
      if (node !== undefined)
        await this.#readAgain(node, folders, { isListed: changed.has(path), names: names.get(path) ?? new Set(), dirty, slice });
    }
    return dirty;
  }

  async #readAgain(node: Node, folders: FolderState['folders'], { isListed, names, dirty, slice }: Again): Promise<void> {
    const folder = folders.get(node.path);
    if (folder === undefined) return;
    dirty.add(node.path);
    for (const entry of isListed ? this.#changedEntries(node, entriesOf(folder), names, dirty) : filesNamed(folder, names)) {
      const { name } = entry;
      this.#folders.drop(node, name, dirty);
      const adding = this.#reader.add(node, entry, { known: undefined, isIgnored: undefined, slice });
      if (adding !== undefined) await adding;
      if (node.folders.has(name)) {
        const start = { path: pathIn(node.path, name), rules: this.#reader.rulesBelow(node, name) };
        for (const path of await this.#addFolders(start, folders, slice, () => undefined)) dirty.add(path);
      }
      if (slice.isOver) await slice.next();
    }
  }

  /** The entries of a folder that are new, or may be others. Drops those that are gone. */
  #changedEntries(node: Node, entries: readonly Entry[], names: ReadonlySet<string>, dirty: Set<string>): Entry[] {
    const present = new Set(entries.map(({ name }) => name));
    const known = new Set([...node.entries.keys(), ...node.folders, ...node.ignored, ...node.hidden.keys()]);
    for (const name of known) if (!present.has(name)) this.#folders.drop(node, name, dirty);
    return entries.filter(({ name, kind }) => {
      if (kind === 'folder' && node.folders.has(name)) return false;
      // Of links, no event names which changed.
      return !known.has(name) || kind === 'link' || names.has(name) || node.folders.has(name) || (kind === 'folder' && node.entries.has(name));
    });
  }
}

/** A folder to read, with the rules that apply in it. */
interface Place {
  readonly path: string;
  readonly rules: Rules;
}

interface Again {
  /** Whether names came or went. */
  readonly isListed: boolean;
  /** The names whose content may have changed. */
  readonly names: ReadonlySet<string>;
  readonly dirty: Set<string>;
  readonly slice: TimeSlice;
}

/** The files of a folder with these names. */
function filesNamed(folder: Folder, names: ReadonlySet<string>): Entry[] {
  return [...names].flatMap((name): Entry[] => (hasFile(folder, name) ? [{ name, kind: 'file' }] : []));
}
