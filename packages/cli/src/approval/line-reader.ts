import { createInterface } from 'node:readline';

/** Lines that a person types. */
export interface LineReader extends Disposable {
  /** The next line; undefined where none comes any more. Lines typed before it was asked for count. */
  next(): Promise<string | undefined>;
}

/**
 * Reads lines of a terminal. The terminal's own line editing is used, so that Ctrl+C stays a signal to the process.
 */
export function lineReader(stdin: NodeJS.ReadableStream, signal: AbortSignal): LineReader {
  const readline = createInterface({ input: stdin });
  const lines: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  let closed = false;
  const end = (): void => {
    closed = true;
    waiting?.(undefined);
    waiting = undefined;
  };
  readline.on('line', (line) => {
    if (waiting === undefined) lines.push(line);
    else {
      const resolve = waiting;
      waiting = undefined;
      resolve(line);
    }
  });
  readline.on('close', end);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return {
    next: () => {
      const line = lines.shift();
      if (line !== undefined || closed) return Promise.resolve(line);
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', end);
      readline.close();
    },
  };
}
