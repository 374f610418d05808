import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readdirSync, readlinkSync, type PathLike, type Stats } from 'node:fs';
import { join, nameOf, parentOf, type EntryType, type TreeView } from '../danger/tree-view.ts';
import { nameFromBytes } from './byte-name.ts';
import type { PinnedDirectory } from './confinement.ts';

function typeOf(stat: Stats): EntryType {
  if (stat.isDirectory()) return 'folder';
  if (stat.isFile()) return 'file';
  return stat.isSymbolicLink() ? 'link' : 'other';
}

/** Maximum number of folders that a view holds open. */
const MAX_HELD = 64;

/** Views a tree below a held folder, by handle. Follows no links, not even one that just replaced an entry. */
export class ConfinedView implements TreeView, Disposable {
  readonly #root: PinnedDirectory;
  /**
   * Folders viewed last, by path; the most recent one is last. A folder is opened from the nearest one above it that is held:
   * walking down from the root each time would make the cost of a deep tree quadratic.
   */
  readonly #held = new Map<string, PinnedDirectory>();
  /** The folder that could not be opened last: nothing below it need be looked for until another one was opened. */
  #closed: string | undefined;

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

  readonly readText = (path: string, maxBytes: number): string | undefined => this.readBytes(path, maxBytes)?.toString();

  readonly readBytes = (path: string, maxBytes: number): Buffer | undefined => {
    const at = this.#at(path);
    if (at === undefined) return undefined;
    try {
      // O_NONBLOCK: opening a pipe returns at once, and it is rejected below.
      const fd = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const stat = fstatSync(fd);
        return stat.isFile() && stat.size <= maxBytes ? readFileSync(fd) : undefined;
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
    for (const folder of this.#held.values()) folder[Symbol.dispose]();
    this.#held.clear();
  }

  #at(path: string): PathLike | undefined {
    return this.#open(parentOf(path))?.at(nameFromBytes(Buffer.from(nameOf(path), 'latin1')));
  }

  /** Opens a folder. It stays open until this view has opened {@link MAX_HELD} others. */
  #open(path: string): PinnedDirectory | undefined {
    if (path === '') return this.#root;
    if (this.#closed !== undefined && (path === this.#closed || path.startsWith(`${this.#closed}/`))) return undefined;
    const [above, folder] = this.#nearest(path);
    let [at, held] = [above, folder];
    for (const name of path === above ? [] : path.slice(above === '' ? 0 : above.length + 1).split('/')) {
      at = join(at, name);
      try {
        held = held.child(nameFromBytes(Buffer.from(name, 'latin1')));
      } catch {
        // Missing, not a folder, a link, or not accessible: nothing in it is visible.
        this.#closed = at;
        return undefined;
      }
      this.#closed = undefined;
      this.#hold(at, held);
    }
    return held;
  }

  /** Returns the nearest held folder at or above a path. */
  #nearest(path: string): readonly [path: string, folder: PinnedDirectory] {
    for (let above = path; above !== ''; above = parentOf(above)) {
      const folder = this.#held.get(above);
      if (folder === undefined) continue;
      this.#held.delete(above);
      this.#held.set(above, folder);
      return [above, folder];
    }
    return ['', this.#root];
  }

  #hold(path: string, folder: PinnedDirectory): void {
    this.#held.set(path, folder);
    if (this.#held.size <= MAX_HELD) return;
    const [oldest] = this.#held;
    if (oldest === undefined) return;
    this.#held.delete(oldest[0]);
    oldest[1][Symbol.dispose]();
  }
}
