import { TimeSlice } from '../events/timing.ts';

const NUL = 0;
/** Maximum length of a name in bytes. Longer than any path of the kernel (PATH_MAX is 4,096), so longer input is dropped. */
const MAX_NAME_BYTES = 64 * 1024;

/** Splits a stream of NUL-terminated names, independent of its chunks. */
export class NameSplitter {
  #rest = Buffer.alloc(0);

  *push(chunk: Buffer): Generator<Buffer> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(NUL); end !== -1; end = bytes.indexOf(NUL, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    const rest = bytes.subarray(start);
    this.#rest = rest.length > MAX_NAME_BYTES ? Buffer.alloc(0) : Buffer.from(rest);
  }
}

/** Processes incoming names in time slices: each needs a disk access, and there may be hundreds of thousands. */
export class NameQueue {
  readonly #look: (found: Buffer) => void;
  readonly #splitter = new NameSplitter();
  readonly #chunks: Buffer[] = [];
  readonly #signal: AbortSignal;
  /** Separate from the promise: synchronous work ends before the promise is assigned. */
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
    // done() reports the error.
    this.#working.catch(() => {});
  }

  /** Resolves when all names were processed, or the time is up. */
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
