import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { parentOf, nameOf } from '../danger/tree-view.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { bytesOf, FolderTrail, throughFolder, throughHandle } from '../workspace-index/open-folder.ts';
import { GramFilters } from './gram-filter.ts';
import type { FilesToRead, ReadFile } from './index-messages.ts';
import { KnownFiles } from './known-files.ts';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Maximum bytes of a file with a filter. Larger ones are always searched. */
const MAX_BYTES = 64 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;

const UNFILTERED: ReadFile = { filter: undefined, modified: undefined, size: 0, isUnreadable: false };
/** Errors of names under which there is no regular file. ripgrep does not search them either. */
const NO_FILE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

/** Reads files of the workspace by handle, name by name: no link leads it outside. Remembers how it found them. */
export class FileReader {
  readonly #root: number;
  readonly #filters = new GramFilters();
  readonly #known = new KnownFiles();
  readonly #block = Buffer.allocUnsafe(BLOCK_BYTES);

  /** @param root the descriptor of the workspace */
  constructor(root: number) {
    this.#root = root;
  }

  forget(): void {
    this.#known.forgetAll();
  }

  read({ files, bitsPerGram }: FilesToRead): ReadFile[] {
    using trail = new FolderTrail(this.#root);
    return files.map(({ id, path }) => {
      this.#known.forget(id);
      try {
        return this.#readFile(id, path, openSync(throughFolder(trail.open(parentOf(path)), nameOf(path)), FLAGS), bitsPerGram);
      } catch (error) {
        return { ...UNFILTERED, isUnreadable: !NO_FILE.has(errnoOf(error)) };
      }
    });
  }

  #readFile(id: number, path: string, handle: number, bitsPerGram: number): ReadFile {
    try {
      const stat = fstatSync(handle);
      if (!stat.isFile()) return UNFILTERED;
      const { size, mtimeMs: modified } = stat;
      // A file with several names may change by one that is not watched.
      const filter = stat.nlink > 1 || size > MAX_BYTES ? undefined : this.#filterOf(handle, bitsPerGram);
      if (filter === undefined) return { ...UNFILTERED, size };
      this.#known.note(id, path, stat);
      return { filter, modified, size, isUnreadable: false };
    } finally {
      closeSync(handle);
    }
  }

  /** Reads no more than the limit, even of a file that grows. */
  #filterOf(handle: number, bitsPerGram: number): Uint8Array | undefined {
    let position = 0;
    let isWanted = true;
    try {
      while (isWanted && position <= MAX_BYTES) {
        const count = readSync(handle, this.#block, 0, BLOCK_BYTES, position);
        position += count;
        isWanted = count > 0 && this.#filters.add(this.#block.subarray(0, count));
      }
    } catch (error) {
      this.#filters.end(bitsPerGram);
      throw error;
    }
    const filter = this.#filters.end(bitsPerGram);
    return position > MAX_BYTES ? undefined : filter;
  }

  /** Returns the files that are not as they were read. Their names may lead elsewhere now, but nothing is opened. */
  changed(): number[] {
    // By its path, which takes half of the time: a folder that takes its place has other files.
    const root = readlinkSync(throughHandle(this.#root), 'latin1');
    return this.#known.differing((path) => look(`${root}/${path}`));
  }
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(bytesOf(path), { throwIfNoEntry: false });
  } catch {
    // It counts as changed, and is searched.
    return undefined;
  }
}
