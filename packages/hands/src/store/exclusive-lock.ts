import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SynapseError } from '@synapse/protocol';

/** How long an append waits for other processes, in milliseconds. Each of them holds the lock for some 10 µs. */
const WAIT_MS = 5_000;

/**
 * Lets one process at a time do something, synchronously. The lock is SQLite's own on an empty database:
 * it takes 3 µs, and the kernel gives it back when a process dies, so that there is no stale lock to break.
 */
export class ExclusiveLock implements Disposable {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;

  /** @param file made where it is missing; never holds a byte */
  constructor(file: string) {
    closeSync(openSync(file, 'a', 0o600));
    this.#database = new DatabaseSync(file, { timeout: WAIT_MS });
    // Nothing is ever written, so no journal on disk has to be looked for.
    this.#database.exec('PRAGMA journal_mode = MEMORY');
    this.#begin = this.#database.prepare('BEGIN IMMEDIATE');
    this.#end = this.#database.prepare('ROLLBACK');
  }

  /** Runs work while no other holder of the lock does. Not reentrant. */
  hold<T>(work: () => T): T {
    try {
      this.#begin.run();
    } catch (error) {
      throw new SynapseError('busy', 'Another process keeps the records of Synapse locked.', { hint: 'Repeat the call in a moment.', cause: error });
    }
    try {
      return work();
    } finally {
      this.#end.run();
    }
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
