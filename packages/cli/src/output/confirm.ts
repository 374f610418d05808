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
export async function confirm(question: string, { stdin, err, signal, nextLine }: Asking): Promise<boolean | undefined> {
  if (!stdin.isTTY || !err.isTerminal) return undefined;
  if (nextLine !== undefined) {
    err.write(`${question} [y/N] `);
    return isYes((await nextLine()) ?? '');
  }
  const asking = createInterface({ input: stdin });
  try {
    err.write(`${question} [y/N] `);
    return isYes(await asking.question('', { signal }));
  } catch (error) {
    // Interrupted: counts as no.
    if (signal.aborted) return false;
    throw error;
  } finally {
    asking.close();
  }
}
