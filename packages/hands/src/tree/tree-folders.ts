import { nameOf, parentOf } from '../danger/tree-view.ts';
import { pathIn, type Folder } from '../workspace-index/folder.ts';
import type { FolderReader, Node } from './folder-reader.ts';
import { UNSURE } from './hash-entry.ts';
import { EMPTY_TREE, listingText, storedListing, type StoredListing } from './listing.ts';
import type { SavedFolder, TreeStore } from './tree-store.ts';

/** What a command could read in a workspace, as hashes. */
export interface TreeState {
  /** The hash of all names and contents. */
  readonly hash: string;
  /** The hash of the list of files that no command can read; undefined if there is none. */
  readonly hidden: string | undefined;
}

const listingOf = ({ entries }: Node): StoredListing => storedListing(listingText(entries, entries.names()));

interface Sealing {
  readonly store: TreeStore;
  readonly reader: Pick<FolderReader, 'stampOf'>;
}

function namesOf(folder: Folder | undefined): SavedFolder['names'] {
  return folder?.times === undefined ? undefined : { inode: folder.inode, listing: folder.listing, ...folder.times };
}

/** The folders of a tree. A change costs the folders on the way to it, not all of them. */
export class TreeFolders {
  readonly #nodes = new Map<string, Node>();
  /** The folders that may hold something that no command can read: nearly none does. */
  readonly #hiding = new Set<string>();

  get(path: string): Node | undefined {
    return this.#nodes.get(path);
  }

  set(path: string, node: Node): void {
    this.#nodes.set(path, node);
  }

  /** Removes an entry of a folder, and all that was in it. @param dirty the changed folders, of which removed ones are taken out */
  drop(node: Node, name: string, dirty: Set<string>): void {
    node.entries.delete(name);
    node.ignored.delete(name);
    node.hidden.delete(name);
    if (!node.folders.delete(name)) return;
    const left = [pathIn(node.path, name)];
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      const gone = this.#nodes.get(at);
      this.#nodes.delete(at);
      dirty.delete(at);
      for (const below of gone?.folders ?? []) left.push(pathIn(at, below));
    }
  }

  /**
   * Computes the hashes of changed folders, and of those above them, and stores their listings.
   *
   * @param known the hash of the tree before
   */
  seal(dirty: ReadonlySet<string>, known: string | undefined, sealing: Sealing): TreeState {
    const above = new Set(dirty);
    // What is above a folder that is in here is in here too, at the latest when its own turn comes.
    for (const path of dirty)
      for (let at = path; at !== '';) {
        at = parentOf(at);
        if (above.has(at)) break;
        above.add(at);
      }
    const depthOf = (path: string): number => (path === '' ? 0 : path.split('/').length);
    const byDepth = Array.from(above, (path) => ({ path, depth: depthOf(path) })).toSorted((one, other) => other.depth - one.depth);
    return this.#sealEach(
      byDepth.map(({ path }) => path),
      { dirty, known, ...sealing },
    );
  }

  /** As {@link seal}, where all folders are new. */
  sealAll(sealing: Sealing): TreeState {
    // A folder is added before those in it.
    const paths = [...this.#nodes.keys()].toReversed();
    return this.#sealEach(paths, { dirty: paths, known: undefined, ...sealing });
  }

  #sealEach(
    paths: readonly string[],
    { dirty, known, store, reader }: Sealing & { readonly dirty: Iterable<string>; readonly known: string | undefined },
  ): TreeState {
    const listings: StoredListing[] = [];
    let root = known ?? EMPTY_TREE;
    for (const path of paths) {
      const node = this.#nodes.get(path);
      if (node === undefined) continue;
      const listing = listingOf(node);
      const { sum } = listing;
      listings.push(listing);
      if (path === '') root = sum;
      const parent = path === '' ? undefined : this.#nodes.get(parentOf(path));
      if (parent === undefined) continue;
      if (listing.bytes.length === 0) parent.entries.delete(nameOf(path));
      else parent.entries.set(nameOf(path), { kind: 'd', hash: sum, stamp: UNSURE });
    }
    const hidden = this.#hiddenText(dirty, reader);
    const ofHidden = hidden === '' ? undefined : storedListing(hidden);
    if (ofHidden !== undefined) listings.push(ofHidden);
    store.add(listings, () => this.#nodes.values().map(listingOf));
    return { hash: root, hidden: ofHidden?.sum };
  }

  /** What the next process needs, so that it reads no file again. */
  *toSave(state: TreeState, folders: ReadonlyMap<string, Folder>): Generator<SavedFolder> {
    for (const { path, rulesKey, entries, ignored } of this.#nodes.values()) {
      const own = new Map([...entries].filter(([, { kind }]) => kind !== 'd'));
      const sum = path === '' ? state.hash : this.#nodes.get(parentOf(path))?.entries.get(nameOf(path))?.hash;
      yield { path, rulesKey, hash: sum ?? EMPTY_TREE, entries: own, ignored, names: namesOf(folders.get(path)) };
    }
  }

  /** The files that no command can read, with what identifies their content on this machine. */
  #hiddenText(dirty: Iterable<string>, reader: Sealing['reader']): string {
    for (const path of dirty) if ((this.#nodes.get(path)?.hidden.size ?? 0) > 0) this.#hiding.add(path);
    const lines: string[] = [];
    for (const path of this.#hiding) {
      const { hidden } = this.#nodes.get(path) ?? {};
      if (hidden === undefined || hidden.size === 0) this.#hiding.delete(path);
      for (const [name, stamp] of hidden ?? []) lines.push(`${pathIn(path, name)}\0${stamp ?? reader.stampOf(pathIn(path, name))}\0`);
    }
    return lines.toSorted().join('');
  }
}
