import { Worker } from 'node:worker_threads';
import { settlesWithin } from '../events/timing.ts';
import { threadOptions } from '../events/thread-options.ts';
import type { IndexOrder, IndexReply, IndexStart } from './index-messages.ts';

/** Limits of the thread in megabytes. What it knows of files, and the bytes that it reads and returns, are outside of them. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** Milliseconds to wait for the end of the thread: a file system that does not answer keeps it as long as it likes. */
const END_MS = 1_000;

/** The thread that reads files for the index. It keeps no process from ending. */
export class IndexReader implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #waiting: Array<(reply: IndexReply | undefined) => void> = [];
  #hasEnded = false;

  /** @param onExit called once the thread is gone, and uses its descriptor no more */
  constructor(start: IndexStart, onExit: () => void) {
    const file = new URL(import.meta.url.endsWith('.ts') ? 'index-thread.ts' : 'index-thread.js', import.meta.url);
    this.#worker = new Worker(file, { workerData: start, resourceLimits: LIMITS, ...threadOptions() });
    this.#worker.unref();
    this.#worker.on('message', (reply: IndexReply) => this.#waiting.shift()?.(reply));
    // Out of memory, or it could not start. Searches then run without it.
    this.#worker.once('error', () => this.#end());
    this.#worker.once('exit', () => {
      this.#end();
      onExit();
    });
  }

  /** Whether no more replies come. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  forget(): void {
    this.#order({ kind: 'forget' });
  }

  /** @returns undefined if the thread has ended */
  async ask<Kind extends 'read' | 'sweep'>(order: Extract<IndexOrder, { kind: Kind }>): Promise<IndexReply | undefined> {
    if (this.#hasEnded) return undefined;
    const { promise, resolve } = Promise.withResolvers<IndexReply | undefined>();
    this.#waiting.push(resolve);
    this.#order(order);
    return await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end();
    await settlesWithin(this.#worker.terminate(), END_MS);
  }

  #order(order: IndexOrder): void {
    if (!this.#hasEnded) this.#worker.postMessage(order, []);
  }

  #end(): void {
    this.#hasEnded = true;
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }
}
