import { closeSync, existsSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SynapseError } from '@synapse/protocol';
import { closeDatabase } from './database.ts';

/** Maximum milliseconds to wait for other processes. */
const WAIT_MS = 5_000;

/** SQLite's result code if another connection holds the lock. */
const SQLITE_BUSY = 5;

/** Returns the error for a lock that other processes do not release. */
function locked(cause?: unknown): SynapseError {
  return new SynapseError('busy', 'Another process keeps the records of Synapse locked.', { hint: 'Repeat the call in a moment.', cause });
}

/**
 * Lets one process at a time run synchronous work. It uses SQLite's lock on an empty database: taking it
 * costs 3 µs, and the kernel releases it when a process dies, so a lock cannot be stale.
 */
export class ExclusiveLock implements Disposable {
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #waitMs = WAIT_MS;

  /** @param file created if it is missing; always empty */
  constructor(file: string) {
    // Only if missing: when a process closes any handle of a file, the kernel releases all locks of the process on it.
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
    this.#database = new DatabaseSync(file);
    // Nothing is written, so SQLite need not look for a journal on disk. Node 22 has no option for the wait time.
    this.#database.exec(`PRAGMA busy_timeout = ${WAIT_MS}; PRAGMA journal_mode = MEMORY`);
    this.#begin = this.#database.prepare('BEGIN IMMEDIATE');
    this.#end = this.#database.prepare('ROLLBACK');
  }

  /** Runs work while holding the lock. Not reentrant. */
  hold<T>(work: () => T): T {
    if (!this.take(WAIT_MS)) throw locked();
    try {
      return work();
    } finally {
      this.giveBack();
    }
  }

  /** Tries to take the lock for at most `waitMs` milliseconds. Returns whether it succeeded. The holder must release it. */
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
    closeDatabase(this.#database);
  }
}

/** Milliseconds for which a lock is kept after the work, so that consecutive calls share it. */
const LEASE_MS = 5;
/** Milliseconds after contention during which the lock is not kept. */
const POLITE_MS = 1_000;
/** Milliseconds between the notes of a waiting process. */
const REMIND_MS = 250;

/** The instance that keeps each lock file in this process. Another instance here must not wait for it, because waiting blocks the process. */
const keepers = new Map<string, LeasedLock>();

/**
 * A lock that is kept for some milliseconds after use, because taking it costs more than most work done under it.
 * A process that finds it taken leaves a note. For a while after that, every holder releases the lock immediately.
 */
export class LeasedLock implements Disposable {
  readonly #file: string;
  readonly #note: string;
  readonly #onRelease: () => void;
  readonly #lock: ExclusiveLock;
  /** Set while the lock is kept. */
  #timer: NodeJS.Timeout | undefined;
  #keptUntil = 0;
  #politeUntil = 0;

  /** @param onRelease runs before the lock is released; must not throw */
  constructor(file: string, onRelease: () => void) {
    this.#lock = new ExclusiveLock(file);
    // Use the real path, because another spelling would count as another file.
    this.#file = realpathSync(file);
    this.#note = `${file}.wanted`;
    this.#onRelease = onRelease;
  }

  /** Runs work while holding the lock. Not reentrant. */
  hold<T>(work: () => T): T {
    // The timer does not fire if a caller never yields to the event loop.
    if (performance.now() > this.#keptUntil) this.release();
    if (this.#timer !== undefined) return work();
    keepers.get(this.#file)?.release();
    this.#take();
    try {
      return work();
    } finally {
      if (performance.now() < this.#politeUntil) this.#giveBack();
      else this.#keep();
    }
  }

  /** Releases the lock if it is kept. */
  release(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    keepers.delete(this.#file);
    this.#giveBack();
  }

  [Symbol.dispose](): void {
    this.release();
    this.#lock[Symbol.dispose]();
  }

  #keep(): void {
    keepers.set(this.#file, this);
    this.#keptUntil = performance.now() + LEASE_MS;
    this.#timer = setTimeout(() => this.release(), LEASE_MS);
  }

  #giveBack(): void {
    try {
      this.#onRelease();
    } finally {
      this.#lock.giveBack();
    }
  }

  #take(): void {
    if (!this.#lock.take(0)) this.#await();
    else if (!existsSync(this.#note)) return;
    this.#politeUntil = performance.now() + POLITE_MS;
    // Waiting processes write the note again. The note of a killed process must not stay.
    rmSync(this.#note, { force: true });
  }

  #await(): void {
    for (let waited = 0; waited < WAIT_MS; waited += REMIND_MS) {
      try {
        writeFileSync(this.#note, '', { mode: 0o600 });
      } catch {
        // The disk is full. Without the note, the lock is only released later.
      }
      if (this.#lock.take(REMIND_MS)) return;
    }
    throw locked();
  }
}
