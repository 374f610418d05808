import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { nameOf, parentOf } from '../danger/tree-view.ts';
import { FolderTrail, throughFolder } from '../workspace-index/open-folder.ts';

/** Does not follow a link, and does not block on a pipe that replaced the file. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Files below a folder that is held open. They are opened name by name through handles, so that no link leads elsewhere; folders on the way
 * stay open for the next file. Undefined for what is no regular file (any more), or cannot be read.
 */
export class FoundFiles implements Disposable {
  readonly #trail: FolderTrail;

  /** @param folder the descriptor of the folder */
  constructor(folder: number) {
    this.#trail = new FolderTrail(folder);
  }

  /** @param found the path as ripgrep reports it in the folder */
  describe(found: Buffer): { readonly size: number; readonly modified: number } | undefined {
    try {
      const stat = lstatSync(this.#path(found), { bigint: true, throwIfNoEntry: false });
      return stat?.isFile() === true ? { size: Number(stat.size), modified: Number(stat.mtimeMs) } : undefined;
    } catch {
      return undefined;
    }
  }

  /** @param atMost maximum size in bytes */
  read(found: Buffer, atMost: number): Buffer | undefined {
    let handle: number | undefined;
    try {
      handle = openSync(this.#path(found), FLAGS);
      const stat = fstatSync(handle);
      if (!stat.isFile() || stat.size > atMost) return undefined;
      const bytes = Buffer.allocUnsafe(stat.size);
      let length = 0;
      for (let count = -1; count !== 0 && length < bytes.length; length += count)
        count = readSync(handle, bytes, length, bytes.length - length, length);
      return bytes.subarray(0, length);
    } catch {
      return undefined;
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  [Symbol.dispose](): void {
    this.#trail[Symbol.dispose]();
  }

  #path(found: Buffer): Buffer | string {
    const path = found.toString('latin1').replace(/^\.\//u, '');
    return throughFolder(this.#trail.open(parentOf(path)), nameOf(path));
  }
}
