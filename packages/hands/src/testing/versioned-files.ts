import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Number of files. Those with an even number have one version at a time, the others all that were written. */
export const VERSIONED = 8;

/** What the thread is started with. */
export interface VersionStart {
  readonly folder: string;
  readonly outside: string;
  /** A number for each file: the last version that is there for certain. */
  readonly written: SharedArrayBuffer;
}

/** Files that a thread changes at any time: every few milliseconds, one gets its next version. */
export class VersionedFiles implements AsyncDisposable {
  readonly #versions: Int32Array;
  readonly #worker: Worker;

  static async start(folder: string, outside: string): Promise<VersionedFiles> {
    const files = new VersionedFiles(folder, outside);
    await once(files.#worker, 'message');
    return files;
  }

  private constructor(folder: string, outside: string) {
    const written = new SharedArrayBuffer(4 * VERSIONED);
    this.#versions = new Int32Array(written);
    const start: VersionStart = { folder, outside, written };
    this.#worker = new Worker(new URL('version-writer.ts', import.meta.url), { workerData: start });
  }

  /** Returns the last version of a file that is there for certain. The next one may be there too. */
  written(number: number): number {
    return Atomics.load(this.#versions, number);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
