import type { CallResult } from '@synapse/protocol';
import { statSync } from 'node:fs';
import type { OutputLines } from './output-lines.ts';
import { windowFolder, windowSockets } from './window-sockets.ts';

/** Milliseconds between two looks for windows. A look takes about 3 µs, or 20 µs if the folder of their sockets has changed. */
const LOOK_MS = 200;
/** Milliseconds after which a change of a folder has another time than any later one, on every file system. */
const SAME_TIME_MS = 2_000;

/**
 * Shows the outputs of calls in the open windows of this user, such as the console. They go from memory to memory: outputs may
 * contain secrets, so no file gets them. Costs nothing while no window is open.
 */
export class OutputRelay implements AsyncDisposable {
  readonly #stateFolder: string;
  readonly #root: string;
  readonly #folder: string;
  /** When the folder had last changed, as of a look that found no window. */
  #emptySince: number | undefined;
  #lookedAt = -Infinity;
  #lines: Promise<OutputLines> | undefined;

  constructor(stateFolder: string, root: string) {
    this.#stateFolder = stateFolder;
    this.#root = root;
    this.#folder = windowFolder(stateFolder);
  }

  /** Never throws and never waits: a window must not slow a call, nor fail it. */
  tell(result: CallResult): void {
    if (this.#lines === undefined) {
      const now = performance.now();
      if (now - this.#lookedAt < LOOK_MS) return;
      this.#lookedAt = now;
      const changed = statSync(this.#folder, { throwIfNoEntry: false })?.mtimeMs;
      if (changed === undefined || changed === this.#emptySince) return;
      if (windowSockets(this.#stateFolder).length === 0) {
        if (Math.abs(Date.now() - changed) > SAME_TIME_MS) this.#emptySince = changed;
        return;
      }
      // Sockets and schemas load only with the first window.
      this.#lines = import('./output-lines.ts').then(({ OutputLines: Lines }) => new Lines(this.#stateFolder, this.#root));
    }
    void this.#lines.then((lines) => lines.tell(result));
  }

  /** Waits, for a limited time, until the outputs so far have been sent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#lines)?.close();
  }
}
