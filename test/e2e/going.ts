import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { startCli, type Place } from './run-cli.ts';

/** A command that runs until it is ended. */
export interface Going extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Its output on both streams, line by line. */
  readonly lines: readonly string[];
  /** Waits for a line. */
  said(pattern: RegExp): Promise<string>;
}

/** Starts a command that runs until it is ended. */
export function going(place: Place, words: readonly string[]): Going {
  const child = startCli(place, words);
  const lines: string[] = [];
  const news = new EventEmitter();
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => (lines.push(line), news.emit('line')));
  // Lines may still come after its exit.
  let isOver = false;
  child.once('close', () => {
    isOver = true;
    news.emit('line');
  });
  return {
    child,
    lines,
    said: async (pattern) => {
      for (;;) {
        const found = lines.find((line) => pattern.test(line));
        if (found !== undefined) return found;
        if (isOver) throw new Error(`It ended without ${pattern.source}:\n${lines.join('\n')}`);
        await once(news, 'line', { signal: AbortSignal.timeout(60_000) });
      }
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
