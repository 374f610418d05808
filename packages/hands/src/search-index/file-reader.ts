import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import { parentOf, nameOf } from '../danger/tree-view.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { FolderTrail } from '../workspace-index/folder-trail.ts';
import { throughFolder } from '../workspace-index/open-folder.ts';
import { GramFilters } from './gram-filter.ts';
import type { ReadFile } from './index-messages.ts';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Maximum bytes of a file with a filter. Larger ones are always searched. */
const MAX_BYTES = 64 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;
/** Milliseconds after a change in which another one may leave the same times: the clock of the file system ticks every 10 ms at most. */
const SAME_TICK_MS = 50;

const UNFILTERED: ReadFile = { filter: undefined, modified: undefined, size: 0, isUnreadable: false };
/** Errors of names under which there is no regular file. ripgrep does not search them either. */
const NO_FILE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

/** Reads files of the workspace by handle, name by name: no link leads it outside. Remembers how it found them. */
export class FileReader {
  readonly #root: number;
  readonly #filters = new GramFilters();
  readonly #read = new Map<string, string>();
  readonly #block = Buffer.allocUnsafe(BLOCK_BYTES);

  /** @param root the descriptor of the workspace */
  constructor(root: number) {
    this.#root = root;
  }

  forget(): void {
    this.#read.clear();
  }

  read(paths: readonly string[]): ReadFile[] {
    using trail = new FolderTrail(this.#root);
    return paths.map((path) => {
      this.#read.delete(path);
      try {
        return this.#readFile(path, openSync(throughFolder(trail.open(parentOf(path)), nameOf(path)), FLAGS));
      } catch (error) {
        return { ...UNFILTERED, isUnreadable: !NO_FILE.has(errnoOf(error)) };
      }
    });
  }

  #readFile(path: string, handle: number): ReadFile {
    try {
      const stat = fstatSync(handle, { bigint: true });
      if (!stat.isFile()) return UNFILTERED;
      const [size, modified] = [Number(stat.size), fstatSync(handle).mtimeMs];
      // A file with several names may change by one that is not watched.
      const filter = stat.nlink > 1n || size > MAX_BYTES ? undefined : this.#filterOf(handle);
      if (filter === undefined) return { ...UNFILTERED, size };
      this.#read.set(path, signature(stat));
      return { filter, modified, size, isUnreadable: false };
    } finally {
      closeSync(handle);
    }
  }

  /** Reads no more than the limit, even of a file that grows. */
  #filterOf(handle: number): Uint8Array | undefined {
    let position = 0;
    let isWanted = true;
    try {
      while (isWanted && position <= MAX_BYTES) {
        const count = readSync(handle, this.#block, 0, BLOCK_BYTES, position);
        position += count;
        isWanted = count > 0 && this.#filters.add(this.#block.subarray(0, count));
      }
    } catch (error) {
      this.#filters.end();
      throw error;
    }
    const filter = this.#filters.end();
    return position > MAX_BYTES ? undefined : filter;
  }

  /** Returns the files that are not as they were read. Their names may lead elsewhere now, but nothing is opened. */
  changed(): string[] {
    return [...this.#read].filter(([path, before]) => this.#signatureOf(path) !== before).map(([path]) => path);
  }

  #signatureOf(path: string): string | undefined {
    try {
      const stat = lstatSync(throughFolder(this.#root, path), { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? undefined : signature(stat);
    } catch {
      // It counts as changed, and is searched.
      return undefined;
    }
  }
}

/** Text that differs if a file was changed, unless by a write that leaves no trace in its times. */
function signature({ dev, ino, size, nlink, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): string {
  const text = [dev, ino, size, nlink, mtimeNs, ctimeNs].join(' ');
  return Date.now() - Number(ctimeMs) < SAME_TICK_MS ? `${text} recent` : text;
}
