import { TimeSlice } from '../workspace-index/time-slice.ts';
import { NameSplitter } from './name-splitter.ts';

/** Goes through the names that come in, in pieces: each costs a look at the disk, and there may be hundreds of thousands. */
export class NameQueue {
  readonly #look: (found: Buffer) => void;
  readonly #splitter = new NameSplitter();
  readonly #chunks: Buffer[] = [];
  readonly #signal: AbortSignal;
  /** Apart from the promise: work that is done at once ends before there is one. */
  #isWorking = false;
  #working: Promise<void> = Promise.resolve();

  constructor(look: (found: Buffer) => void, signal: AbortSignal) {
    this.#look = look;
    this.#signal = signal;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#working = this.#work();
    // Who waits for all of it hears of it.
    this.#working.catch(() => {});
  }

  /** Settles when all that came was looked at, or the time is up. */
  async done(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    const slice = new TimeSlice();
    try {
      for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) {
        for (const found of this.#splitter.push(chunk)) {
          this.#look(found);
          if (!slice.isOver) continue;
          if (this.#signal.aborted) return;
          await slice.next();
        }
      }
    } finally {
      this.#isWorking = false;
    }
  }
}
