import { createInterface } from 'node:readline/promises';
import type { Output } from './output.ts';

/** The terminal of a person who may be asked. */
export interface Asking {
  readonly err: Output;
  readonly stdin: NodeJS.ReadStream;
  readonly signal: AbortSignal;
}

/** Asks a person at the terminal; anything but yes means no. Undefined if there is no terminal to ask at. */
export async function confirm(question: string, { stdin, err, signal }: Asking): Promise<boolean | undefined> {
  if (!stdin.isTTY || !err.isTerminal) return undefined;
  const asking = createInterface({ input: stdin });
  try {
    err.write(`${question} [y/N] `);
    return /^y(?:es)?$/iu.test((await asking.question('', { signal })).trim());
  } catch (error) {
    // Interrupted: counts as no.
    if (signal.aborted) return false;
    throw error;
  } finally {
    asking.close();
  }
}
