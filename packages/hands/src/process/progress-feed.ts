import type { Progress } from '@synapse/protocol';
import type { OutputStream } from './processes.ts';

/** Watchers get at most ten updates a second: more than a person reads, little enough for any transport. */
const INTERVAL_MS = 100;
/** Of what came between two updates so many UTF-16 units are told, the last ones. */
const MAX_LENGTH = 8_192;

/** Tells watchers of output in few, bounded pieces, however it comes. */
export class ProgressFeed implements Disposable {
  readonly #tell: (progress: Progress) => void;
  #pending = '';
  #streams = new Set<OutputStream>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (progress: Progress) => void) {
    this.#tell = tell;
  }

  add(stream: OutputStream, text: string): void {
    if (text === '') return;
    this.#pending += text;
    this.#streams.add(stream);
    if (this.#pending.length > 2 * MAX_LENGTH) this.#shorten();
    // The first piece is told at once, what follows when its time has come.
    if (this.#timer === undefined) this.#flush();
  }

  /** Tells what is left, and nothing more. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending !== '') this.#send();
  }

  readonly #flush = (): void => {
    this.#timer = undefined;
    if (this.#pending === '') return;
    this.#send();
    this.#timer = setTimeout(this.#flush, INTERVAL_MS);
  };

  #send(): void {
    if (this.#pending.length > MAX_LENGTH) this.#shorten();
    const [stream] = this.#streams;
    const progress: Progress = { output: this.#pending, ...(this.#streams.size === 1 && stream !== undefined ? { stream } : {}) };
    this.#pending = '';
    this.#streams.clear();
    try {
      this.#tell(progress);
    } catch {
      // Thrown in a timer, the failure of a watcher would end the process. The command is not its concern.
    }
  }

  #shorten(): void {
    this.#pending = `…${this.#pending.slice(-MAX_LENGTH).toWellFormed()}`;
  }
}
