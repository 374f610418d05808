import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, type BigIntStats } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { joinNames, nameFromBytes, type Name } from './byte-name.ts';
import { errnoOf } from './file-error.ts';

/** Linux `O_PATH`; Node does not name it. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const OWNER_ALL = 0o700;

interface Level {
  readonly inode: bigint;
  /** The mode to give back on leaving, where it was opened for the walk. */
  readonly closedMode: number | undefined;
}

/** How a cursor treats what it walks. */
export interface CursorOptions {
  /** The tree is our own: folders that their owner may not read are opened for the walk, and closed again. */
  readonly owned?: boolean;
}

/**
 * Walks a tree by handle. One handle is open however deep the walk is, and no path is ever written out, so neither
 * the number of handles nor PATH_MAX is a limit. On the way up the parent is checked by its inode.
 */
export class TreeCursor implements Disposable {
  #fd: number;
  readonly #levels: Level[] = [];
  readonly #names: Name[] = [];
  readonly #owned: boolean;

  constructor(folder: string, { owned = false }: CursorOptions = {}) {
    this.#fd = openSync(`${folder}/.`, O_PATH | constants.O_DIRECTORY);
    this.#owned = owned;
  }

  /** Where the cursor is, below the folder that it started from. */
  get location(): readonly Name[] {
    return this.#names;
  }

  /** The folder itself, by its handle. */
  get self(): string {
    return `/proc/self/fd/${this.#fd}/.`;
  }

  at(name: Name): string | Buffer {
    return joinNames(`/proc/self/fd/${this.#fd}`, [name]);
  }

  names(): Name[] {
    try {
      return readdirSync(this.self, { encoding: 'buffer' }).map(nameFromBytes);
    } catch (error) {
      // What this user cannot read, its command could not either.
      if (!this.#owned && errnoOf(error) === 'EACCES') return [];
      throw error;
    }
  }

  stat(name: Name): BigIntStats | undefined {
    try {
      return lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      // What would lie in a file, or behind a name that no folder can hold.
      if (errnoOf(error) === 'ENOTDIR' || (!this.#owned && errnoOf(error) === 'EACCES')) return undefined;
      throw error;
    }
  }

  /** Goes into a folder. A link is not followed. */
  enter(name: Name): void {
    const place = this.at(name);
    const parent = fstatSync(this.#fd, { bigint: true }).ino;
    const fd = openSync(place, FOLDER);
    let closedMode: number | undefined;
    if (this.#owned) {
      const mode = fstatSync(fd).mode & 0o7777;
      if ((mode & OWNER_ALL) !== OWNER_ALL) {
        chmodSync(`/proc/self/fd/${fd}`, mode | OWNER_ALL);
        closedMode = mode;
      }
    }
    closeSync(this.#fd);
    this.#fd = fd;
    this.#levels.push({ inode: parent, closedMode });
    this.#names.push(name);
  }

  /** Goes back to the folder above. */
  leave(): void {
    const level = this.#levels.pop();
    const name = this.#names.pop();
    if (level === undefined || name === undefined) return;
    const fd = openSync(`/proc/self/fd/${this.#fd}/..`, O_PATH | constants.O_DIRECTORY);
    if (fstatSync(fd, { bigint: true }).ino !== level.inode) {
      closeSync(fd);
      throw moved();
    }
    if (level.closedMode !== undefined) chmodSync(`/proc/self/fd/${this.#fd}`, level.closedMode);
    closeSync(this.#fd);
    this.#fd = fd;
  }

  [Symbol.dispose](): void {
    try {
      // Folders that were opened for the walk are closed again.
      while (this.#owned && this.#levels.length > 0) this.leave();
    } finally {
      this.#close();
    }
  }

  #close(): void {
    closeSync(this.#fd);
  }
}

function moved(): SynapseError {
  return new SynapseError('conflict', 'A folder was moved while it was read.', { hint: 'Repeat the call.', retryable: true });
}
