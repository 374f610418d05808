import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync, readdirSync, readSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { errnoOf } from './file-error.ts';
import { openRegular, type OpenFile } from './open-file.ts';
import { isSpillHandle } from './workspace-path.ts';

const PREFIX = 'spill:';
/** Maximum bytes of one output that are kept on disk. */
export const MAX_SPILL_BYTES = 64 * 1024 * 1024;

/** Bytes per read. */
const REPLAY_BYTES = 1024 * 1024;

/** How much is kept, and for how long. */
export interface SpillRetention {
  /** Age in milliseconds after which spills are removed. Default: seven days. */
  readonly maxAgeMs: number;
  /** Maximum bytes of all spills of a workspace; the oldest are removed first. Default: 512 MiB. */
  readonly maxTotalBytes: number;
  /** Milliseconds between cleanups. Default: ten minutes. */
  readonly cleanEveryMs: number;
}

const DEFAULT_RETENTION: SpillRetention = {
  maxAgeMs: 7 * 24 * 60 * 60 * 1000,
  maxTotalBytes: 512 * 1024 * 1024,
  cleanEveryMs: 10 * 60 * 1000,
};

/** A spill that is being written. */
export interface SpillWriter {
  readonly handle: string;
  /** Appends bytes up to {@link MAX_SPILL_BYTES}; further bytes are dropped. */
  write(bytes: Uint8Array): void;
  close(): void;
  /** Closes and removes it. */
  discard(): void;
}

/** Removes a file that another process may have removed already. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** Keeps outputs that were too long to show, outside the workspace, each under a unique name. */
export class SpillStore {
  readonly #folder: string;
  readonly #retention: SpillRetention;
  #cleanedAt = Number.NEGATIVE_INFINITY;
  #writtenSince = 0;

  /** @param folder one per workspace, so that a handle of another project opens nothing */
  constructor(folder: string, retention: Partial<SpillRetention> = {}) {
    this.#folder = folder;
    this.#retention = { ...DEFAULT_RETENTION, ...retention };
  }

  create(): SpillWriter {
    this.#clean();
    const id = randomBytes(12).toString('hex');
    const path = join(this.#folder, id);
    const fd = this.#open(path);
    let left = MAX_SPILL_BYTES;
    return {
      handle: PREFIX + id,
      write: (bytes) => {
        const part = bytes.byteLength > left ? bytes.subarray(0, left) : bytes;
        left -= part.byteLength;
        this.#writtenSince += part.byteLength;
        for (let at = 0; at < part.byteLength;) at += writeSync(fd, part, at);
      },
      close: () => closeSync(fd),
      discard: () => {
        closeSync(fd);
        remove(path);
      },
    };
  }

  /** Returns the real path of a spill, for a search; undefined if the text is not a handle. */
  resolve(handle: string): string | undefined {
    return isSpillHandle(handle) ? join(this.#folder, handle.slice(PREFIX.length)) : undefined;
  }

  /** Opens a spill by its handle; undefined if the text is not a handle. */
  open(handle: string): OpenFile | undefined {
    const path = this.resolve(handle);
    if (path === undefined) return undefined;
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) throw gone(handle);
    const openForRead = (): number => {
      try {
        return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
      } catch (error) {
        throw errnoOf(error) === 'ENOENT' ? gone(handle) : error;
      }
    };
    return openRegular({ location: [handle], stat, openForRead, [Symbol.dispose]: () => {} });
  }

  /** Passes on the bytes, in order, of a spill that may still be written. */
  replay(handle: string, take: (bytes: Uint8Array) => void): void {
    const path = this.resolve(handle);
    if (path === undefined) return;
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const room = Buffer.allocUnsafe(REPLAY_BYTES);
      for (let got = readSync(file, room); got > 0; got = readSync(file, room)) take(room.subarray(0, got));
    } finally {
      closeSync(file);
    }
  }

  #open(path: string): number {
    try {
      return openSync(path, 'wx', 0o600);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      // The folder was removed after it was created.
      this.#makeFolder();
      return openSync(path, 'wx', 0o600);
    }
  }

  #makeFolder(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // It may have been created manually with a wider mode: outputs can contain secrets.
    chmodSync(this.#folder, 0o700);
  }

  /** Removes spills that are too old or too many. Other processes may remove the same files. */
  #clean(): void {
    const due = Date.now() - this.#cleanedAt > this.#retention.cleanEveryMs || this.#writtenSince > this.#retention.maxTotalBytes / 4;
    if (!due) return;
    this.#makeFolder();
    const files = readdirSync(this.#folder)
      .map((name) => join(this.#folder, name))
      .flatMap((path) => {
        const stat = statSync(path, { throwIfNoEntry: false });
        return stat?.isFile() === true ? [{ path, size: stat.size, modified: stat.mtimeMs }] : [];
      })
      .toSorted((a, b) => b.modified - a.modified);
    let total = 0;
    for (const { path, size, modified } of files) {
      total += size;
      if (Date.now() - modified > this.#retention.maxAgeMs || total > this.#retention.maxTotalBytes) remove(path);
    }
    this.#cleanedAt = Date.now();
    this.#writtenSince = 0;
  }
}

function gone(handle: string): SynapseError {
  return new SynapseError('not_found', `The stored output ${handle} is gone.`, {
    hint: 'Stored outputs are kept for seven days; run the call again.',
  });
}
