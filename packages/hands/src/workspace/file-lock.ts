import { createHash, randomUUID } from 'node:crypto';
import { closeSync, linkSync, mkdirSync, openSync, readFileSync, renameSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stateProblem } from '../state/state-folder.ts';
import { errnoOf } from './file-error.ts';
import { isRunning, processIdentity } from './process-identity.ts';

/** Milliseconds between attempts to take a lock that another process holds. */
const RETRY_MS = 4;
/** Milliseconds after which a lock file without a readable owner is stale: a process was killed while writing it. */
const UNREADABLE_STALE_MS = 2_000;

/** Releases a lock. */
type Release = () => void;

/**
 * Serializes changes to one place: by a queue within this process, and by a lock file in the state
 * folder between processes. Otherwise two concurrent edits would read the same text, and one would be lost.
 */
export class FileLocks {
  readonly #folder: string;
  readonly #queues = new Map<string, Promise<void>>();
  #made = false;

  /** @param folder the folder for lock files; outside every workspace */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Runs work while holding all keys. Keys are taken in order, so that two callers never wait for each other. */
  async hold<T>(keys: Iterable<string>, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const releases: Release[] = [];
    try {
      for (const key of [...new Set(keys)].toSorted()) {
        releases.push(await this.#enter(key, signal));
        releases.push(await this.#acquireFile(key, signal));
      }
      return await work();
    } finally {
      for (const release of releases.toReversed()) release();
    }
  }

  async #enter(key: string, signal: AbortSignal): Promise<Release> {
    const { promise: gone, resolve: release } = Promise.withResolvers<void>();
    const before = this.#queues.get(key);
    const mine = before === undefined ? gone : before.then(() => gone);
    this.#queues.set(key, mine);
    const leave = (): void => {
      if (this.#queues.get(key) === mine) this.#queues.delete(key);
      release();
    };
    if (before !== undefined) await before;
    if (signal.aborted) {
      leave();
      signal.throwIfAborted();
    }
    return leave;
  }

  async #acquireFile(key: string, signal: AbortSignal): Promise<Release> {
    if (!this.#made) mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#made = true;
    const file = join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.lock`);
    for (;;) {
      try {
        const fd = openSync(file, 'wx', 0o600);
        try {
          writeSync(fd, `${processIdentity()}\n`);
        } finally {
          closeSync(fd);
        }
        return () => unlinkSync(file);
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw stateProblem('The locks of Synapse cannot be written, so two changes could collide', file, error);
      }
      breakIfStale(file);
      await delay(RETRY_MS, undefined, { signal });
    }
  }
}

function breakIfStale(file: string): void {
  try {
    const holder = readFileSync(file, 'utf8');
    if (isRunning(holder) ?? Date.now() - statSync(file).mtimeMs < UNREADABLE_STALE_MS) return;
    // Renamed before it is removed, so that only one of several waiters removes this lock.
    const grave = `${file}.${randomUUID()}`;
    renameSync(file, grave);
    // A new lock was renamed instead: it is restored unless its name was taken.
    if (readFileSync(grave, 'utf8') !== holder) linkSync(grave, file);
    unlinkSync(grave);
  } catch (error) {
    // The lock disappeared in the meantime, as intended.
    if (!['ENOENT', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  }
}
