import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { startCli, type Place } from './run-cli.ts';

/** The pipes of an agent. */
export function pipesOf({ stdin, stdout }: ChildProcess): { readonly stdin: Writable; readonly stdout: Readable } {
  if (stdin === null || stdout === null) throw new Error('The agent has no pipes.');
  // An agent may end before it has read everything.
  stdin.on('error', () => undefined);
  return { stdin, stdout };
}

/** Starts an agent, and sends and reads its messages as lines. */
export function rawAgent(place: Place, words: readonly string[] = []) {
  const child = startCli(place, ['acp', '--model', 'scripted', '--base-url', 'http://127.0.0.1:9/v1', ...words]);
  const { stdin, stdout } = pipesOf(child);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    child,
    ended: once(child, 'close') as Promise<[number | null]>,
    write: (text: string) => void stdin.write(text),
    end: () => void stdin.end(),
    next: async (): Promise<unknown> => {
      const { value, done } = await lines.next();
      if (done === true) return undefined;
      // Anything else on stdout would end the editor's connection.
      return JSON.parse(value) as unknown;
    },
  };
}

/** A request as a line. */
export const request = (id: number, method: string, params: unknown): string => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
