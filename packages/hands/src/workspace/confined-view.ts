import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readdirSync, type PathLike, type Stats } from 'node:fs';
import { nameOf, parentOf, type EntryType, type TreeView } from '../danger/tree-view.ts';
import { nameFromBytes } from './byte-name.ts';
import type { PinnedDirectory } from './confinement.ts';

function typeOf(stat: Stats): EntryType {
  if (stat.isDirectory()) return 'folder';
  if (stat.isFile()) return 'file';
  return stat.isSymbolicLink() ? 'link' : 'other';
}

/** Looks at a tree from a held folder down, by handle: no link is followed, also none that takes a name meanwhile. */
export class ConfinedView implements TreeView, Disposable {
  readonly #root: PinnedDirectory;
  /** The folder that was looked at last: the next question is mostly about the same one. */
  #last: { readonly path: string; readonly folder: PinnedDirectory } | undefined;

  /** @param root stays the caller's */
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
      // O_NONBLOCK: a pipe in its place answers at once, and is found out.
      const fd = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const stat = fstatSync(fd);
        return stat.isFile() && stat.size <= maxBytes ? readFileSync(fd, 'utf8') : undefined;
      } finally {
        closeSync(fd);
      }
    } catch {
      // What cannot be read cannot be found harmless.
      return undefined;
    }
  };

  readonly names = (path: string): readonly string[] | undefined => {
    const folder = this.#open(path);
    if (folder === undefined) return undefined;
    try {
      return readdirSync(folder.self, { encoding: 'latin1' });
    } catch {
      // Closed to this user.
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
        // Missing, no folder, a link, or closed to this user: nothing of it can be seen.
        return undefined;
      } finally {
        if (parent !== this.#root) parent[Symbol.dispose]();
      }
    }
    return folder;
  }
}
