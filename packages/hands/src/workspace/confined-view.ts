import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readdirSync, readlinkSync, type PathLike, type Stats } from 'node:fs';
import { nameOf, parentOf, type EntryType, type TreeView } from '../danger/tree-view.ts';
import { nameFromBytes } from './byte-name.ts';
import type { PinnedDirectory } from './confinement.ts';

function typeOf(stat: Stats): EntryType {
  if (stat.isDirectory()) return 'folder';
  if (stat.isFile()) return 'file';
  return stat.isSymbolicLink() ? 'link' : 'other';
}

/** Views a tree below a held folder, by handle. Follows no links, not even one that just replaced an entry. */
export class ConfinedView implements TreeView, Disposable {
  readonly #root: PinnedDirectory;
  /** The last viewed folder. The next request is usually about the same one. */
  #last: { readonly path: string; readonly folder: PinnedDirectory } | undefined;

  /** @param root owned and disposed by the caller */
  constructor(root: PinnedDirectory) {
    this.#root = root;
  }

  readonly type = (path: string): EntryType | undefined => {
    if (path === '') return 'folder';
    const at = this.#at(path);
    const stat = at === undefined ? undefined : lstatSync(at, { throwIfNoEntry: false });
    return stat === undefined ? undefined : typeOf(stat);
  };

  readonly readText = (path: string, maxBytes: number): string | undefined => {
    const at = this.#at(path);
    if (at === undefined) return undefined;
    try {
      // O_NONBLOCK: opening a pipe returns at once, and it is rejected below.
      const fd = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const stat = fstatSync(fd);
        return stat.isFile() && stat.size <= maxBytes ? readFileSync(fd, 'utf8') : undefined;
      } finally {
        closeSync(fd);
      }
    } catch {
      // Unreadable content cannot be judged harmless.
      return undefined;
    }
  };

  readonly linkText = (path: string): string | undefined => {
    const at = this.#at(path);
    try {
      return at === undefined ? undefined : readlinkSync(at, 'latin1');
    } catch {
      // Not a link, or deleted in the meantime.
      return undefined;
    }
  };

  readonly names = (path: string): readonly string[] | undefined => {
    const folder = this.#open(path);
    if (folder === undefined) return undefined;
    try {
      return readdirSync(folder.self, { encoding: 'latin1' });
    } catch {
      // Not readable for this user.
      return undefined;
    }
  };

  [Symbol.dispose](): void {
    if (this.#last?.folder !== this.#root) this.#last?.folder[Symbol.dispose]();
    this.#last = undefined;
  }

  #at(path: string): PathLike | undefined {
    return this.#open(parentOf(path))?.at(nameFromBytes(Buffer.from(nameOf(path), 'latin1')));
  }

  #open(path: string): PinnedDirectory | undefined {
    if (this.#last?.path === path) return this.#last.folder;
    const folder = this.#descend(path);
    if (folder === undefined) return undefined;
    this[Symbol.dispose]();
    this.#last = { path, folder };
    return folder;
  }

  #descend(path: string): PinnedDirectory | undefined {
    let folder = this.#root;
    if (path === '') return folder;
    for (const name of path.split('/')) {
      const parent = folder;
      try {
        folder = parent.child(nameFromBytes(Buffer.from(name, 'latin1')));
      } catch {
        // Missing, not a folder, a link, or not accessible: nothing in it is visible.
        return undefined;
      } finally {
        if (parent !== this.#root) parent[Symbol.dispose]();
      }
    }
    return folder;
  }
}
