import { createInterface } from 'node:readline';

/** Lines that a person types. */
export interface LineReader extends Disposable {
  /** The next line; undefined at the end of the input. Includes lines typed earlier. */
  next(): Promise<string | undefined>;
}

/** What lines come from, such as an interface of `node:readline`. */
interface LineSource {
  /** Whether a person types. Input of a person is never paused, because Ctrl+C is part of it. */
  readonly terminal?: boolean;
  pause(): unknown;
  resume(): unknown;
  on(event: 'line', listener: (line: string) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
}

/** Maximum number of lines that are read ahead of a program that writes faster than they are used. */
const MAX_AHEAD = 1_000;

/** The lines of one terminal, shared by all questions: with several readers of a terminal, each would get every line. */
export class TypedLines {
  readonly #source: LineSource;
  readonly #lines: string[] = [];
  readonly #waiting = new Set<(line: string | undefined) => void>();
  #closed = false;
  #ahead: ((line: string) => void) | undefined;

  constructor(source: LineSource) {
    this.#source = source;
    source.on('line', (line) => {
      const [resolve] = this.#waiting;
      if (resolve !== undefined) this.#settle(resolve, line);
      else if (this.#ahead !== undefined) this.#ahead(line);
      else {
        this.#lines.push(line);
        if (this.#lines.length === MAX_AHEAD && source.terminal !== true) source.pause();
      }
    });
    source.on('close', () => {
      this.#closed = true;
      this.withdraw();
    });
  }

  /** Whether the input has ended. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Hands over lines that no question and no prompt waits for, instead of keeping them for the next one. */
  divert(take: ((line: string) => void) | undefined): void {
    this.#ahead = take;
  }

  /** Resolves pending reads with undefined. */
  withdraw(): void {
    for (const resolve of this.#waiting) this.#settle(resolve, undefined);
  }

  /** The next line; undefined at the end of the input, or if the signal is aborted first. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    const line = this.#lines.shift();
    if (this.#lines.length === MAX_AHEAD - 1 && !this.#closed) this.#source.resume();
    if (line !== undefined || this.#closed) return line;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const onAbort = (): void => this.#settle(resolve, undefined);
    this.#waiting.add(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #settle(resolve: (line: string | undefined) => void, line: string | undefined): void {
    this.#waiting.delete(resolve);
    resolve(line);
  }
}

/**
 * Reads lines from a terminal. Uses the terminal's own line editing, so that Ctrl+C stays a signal to the process.
 */
export function lineReader(stdin: NodeJS.ReadableStream, signal: AbortSignal): LineReader {
  const readline = createInterface({ input: stdin });
  const lines = new TypedLines(readline);
  return { next: () => lines.next(signal), [Symbol.dispose]: () => readline.close() };
}
