import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Output } from './output.ts';

/** The terminal of a person who may be asked. */
export interface Asking {
  readonly err: Output;
  readonly stdin: NodeJS.ReadStream;
  readonly signal: AbortSignal;
  /** The next line of stdin, if it is already being read. */
  readonly nextLine?: (() => Promise<string | undefined>) | undefined;
}

const isYes = (answer: string): boolean => /^y(?:es)?$/iu.test(answer.trim());

/** Asks a person at the terminal; anything but yes means no. Undefined if there is no terminal to ask at. */
export async function confirm(question: string, asking: Asking): Promise<boolean | undefined> {
  if (!canAsk(asking)) return undefined;
  return isYes((await ask(`${question} [y/N]`, asking)) ?? '');
}

/** Whether there is a terminal to ask at. */
export const canAsk = ({ stdin, err }: Pick<Asking, 'stdin' | 'err'>): boolean => stdin.isTTY && err.isTerminal;

/** Asks a person at the terminal for a line; undefined if it was interrupted, or the input has ended. */
export async function ask(question: string, { stdin, err, signal, nextLine }: Asking): Promise<string | undefined> {
  err.write(`${question} `);
  if (nextLine !== undefined) return await nextLine();
  const asking = createInterface({ input: stdin });
  try {
    const ended = once(asking, 'close', { signal }).then(() => undefined);
    return await Promise.race([asking.question('', { signal }), ended]);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    asking.close();
  }
}
