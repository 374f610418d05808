import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { ExclusiveLock, locked } from '../exclusive-lock.ts';

/** How long a lock is kept beyond the work it was taken for, in milliseconds: calls that follow one another share it. */
const LEASE_MS = 5;
/** How long nobody keeps the lock after two wanted it at once, in milliseconds. */
const POLITE_MS = 1_000;
/** How long anybody waits in all, and until it says so again, in milliseconds. */
const WAIT_MS = 5_000;
const REMIND_MS = 250;

/** Who keeps a lock in this process, by its file: another one here must not wait for it, since nothing else runs meanwhile. */
const keepers = new Map<string, LeasedLock>();

/**
 * A lock that is kept for some milliseconds, since taking it costs more than what most do while they have
 * it. Whoever finds it taken leaves a note, and for a while after that everybody gives it back at once.
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

  /** @param onRelease what is left to do while the lock is still held; must not throw */
  constructor(file: string, onRelease: () => void) {
    this.#lock = new ExclusiveLock(file);
    // By its real name: another spelling would be taken for another file.
    this.#file = realpathSync(file);
    this.#note = `${file}.wanted`;
    this.#onRelease = onRelease;
  }

  /** Runs work while no other holder of the lock does. Not reentrant. */
  hold<T>(work: () => T): T {
    // A caller that never lets the event loop turn keeps the timer from firing.
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

  /** Gives the lock back where it is kept. */
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
    // Whoever still waits writes it again; that of a process which was killed meanwhile must not stay.
    rmSync(this.#note, { force: true });
  }

  #await(): void {
    for (let waited = 0; waited < WAIT_MS; waited += REMIND_MS) {
      try {
        writeFileSync(this.#note, '', { mode: 0o600 });
      } catch {
        // A full disk: the lock is there to be had all the same, only later.
      }
      if (this.#lock.take(REMIND_MS)) return;
    }
    throw locked();
  }
}
