import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SynapseError } from '@synapse/protocol';

/** How long anything waits for other processes, in milliseconds. */
const WAIT_MS = 5_000;

/** SQLite: somebody else holds the lock. */
const SQLITE_BUSY = 5;

/** What is said where others do not let go of a lock. */
export function locked(cause?: unknown): SynapseError {
  return new SynapseError('busy', 'Another process keeps the records of Synapse locked.', { hint: 'Repeat the call in a moment.', cause });
}

/**
 * Lets one process at a time do something, synchronously. The lock is SQLite's own on an empty database:
 * it takes 3 µs, and the kernel gives it back when a process dies, so that there is no stale lock to break.
 */
export class ExclusiveLock implements Disposable {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #waitMs = WAIT_MS;

  /** @param file made where it is missing; never holds a byte */
  constructor(file: string) {
    // Only then: the kernel takes every lock of a process on a file away when that process closes any handle of it.
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
    this.#database = new DatabaseSync(file, { timeout: WAIT_MS });
    // Nothing is ever written, so no journal on disk has to be looked for.
    this.#database.exec('PRAGMA journal_mode = MEMORY');
    this.#begin = this.#database.prepare('BEGIN IMMEDIATE');
    this.#end = this.#database.prepare('ROLLBACK');
  }

  /** Runs work while no other holder of the lock does. Not reentrant. */
  hold<T>(work: () => T): T {
    if (!this.take(WAIT_MS)) throw locked();
    try {
      return work();
    } finally {
      this.giveBack();
    }
  }

  /** Takes the lock, and says whether it could within some milliseconds. Whoever has it gives it back. */
  take(waitMs: number): boolean {
    try {
      if (waitMs !== this.#waitMs) this.#database.exec(`PRAGMA busy_timeout = ${waitMs}`);
      this.#waitMs = waitMs;
      this.#begin.run();
      return true;
    } catch (error) {
      if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
      throw locked(error);
    }
  }

  giveBack(): void {
    this.#end.run();
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
