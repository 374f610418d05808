import { hash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync, unlinkSync, utimesSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../workspace/file-error.ts';

/**
 * A content that nothing refers to yet may belong to a change that is about to be recorded, some seconds later at most; in
 * milliseconds. All that is written meanwhile is beyond what a journal is bounded by, so it is not long.
 */
const YOUNG_MS = 60 * 1000;

function place(temporary: string, path: string): void {
  try {
    renameSync(temporary, path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    renameSync(temporary, path);
  }
}

/** Contents of files by their hash. */
export interface Contents {
  /** Keeps what a change takes away, and gives its SHA-256. */
  keep(bytes: Uint8Array): string;
  /** The SHA-256 of what a change brings; it will be on the disk, and need not be kept. */
  foresee(bytes: Uint8Array): string;
  /** A content; undefined where it is not kept, or is not what it was. */
  read(sum: string): Buffer | undefined;
}

/** Contents on the disk: the same content is kept once, however many changes saw it. */
export class BlobStore implements Contents {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps a content and gives its SHA-256. */
  keep(bytes: Uint8Array): string {
    const sum = hash('sha256', bytes);
    const path = this.#path(sum);
    try {
      const now = new Date();
      // Also tells whoever removes old contents that this one is in use again.
      utimesSync(path, now, now);
      return sum;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    const temporary = join(this.#folder, `new-${randomBytes(9).toString('hex')}`);
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      for (let at = 0; at < bytes.byteLength;) at += writeSync(fd, bytes, at);
      place(temporary, path);
    } catch (error) {
      unlinkSync(temporary);
      throw error;
    } finally {
      closeSync(fd);
    }
    return sum;
  }

  foresee(bytes: Uint8Array): string {
    return hash('sha256', bytes);
  }

  /** A content; undefined where it is not kept any more, or is not what it was. */
  read(sum: string): Buffer | undefined {
    try {
      const bytes = readFileSync(this.#path(sum));
      return hash('sha256', bytes) === sum ? bytes : undefined;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Removes a content that nothing refers to, unless it was used a moment ago. Says whether it is gone. */
  remove(sum: string): boolean {
    const path = this.#path(sum);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return true;
    if (Date.now() - stat.mtimeMs < YOUNG_MS) return false;
    unlinkSync(path);
    return true;
  }

  #path(sum: string): string {
    return join(this.#folder, sum.slice(0, 2), sum.slice(2));
  }
}
