import { hash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync, unlinkSync, utimesSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../workspace/file-error.ts';
import type { Contents } from '../workspace/changes/capture.ts';

/**
 * Milliseconds for which an unreferenced content is kept, because a change that will be recorded seconds later may use it. The
 * time is short, because contents written meanwhile are not covered by the journal's size limit.
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

/** Contents on disk. Identical contents are stored once, however many changes use them. */
export class BlobStore implements Contents {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Stores a content and returns its SHA-256. */
  keep(bytes: Uint8Array): string {
    const sum = hash('sha256', bytes);
    const path = this.#path(sum);
    try {
      const now = new Date();
      // The new time also prevents the cleanup from removing this content.
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

  /** Returns the content; undefined if it is no longer stored or is corrupt. */
  read(sum: string): Buffer | undefined {
    try {
      const bytes = readFileSync(this.#path(sum));
      return hash('sha256', bytes) === sum ? bytes : undefined;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Removes an unreferenced content, unless it was used recently. Returns whether it is gone. */
  remove(sum: string): boolean {
    const path = this.#path(sum);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return true;
    if (Date.now() - stat.mtimeMs < YOUNG_MS) return false;
    unlinkSync(path);
    return true;
  }

  #path(sum: string): string {
    // Histories read thousands: `join` takes as long as opening.
    return `${this.#folder}/${sum.slice(0, 2)}/${sum.slice(2)}`;
  }
}
