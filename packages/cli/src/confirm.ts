import { createInterface } from 'node:readline/promises';
import type { CommandIo } from './command/command.ts';

/** Asks a person at the terminal; anything but a yes is a no. Undefined where there is nobody to ask. */
export async function confirm(question: string, { stdin, err, signal }: Pick<CommandIo, 'stdin' | 'err' | 'signal'>): Promise<boolean | undefined> {
  if (!stdin.isTTY || !err.isTerminal) return undefined;
  const asking = createInterface({ input: stdin });
  try {
    err.write(`${question} [y/N] `);
    return /^y(?:es)?$/iu.test((await asking.question('', { signal })).trim());
  } catch (error) {
    // Interrupted, which is a no.
    if (signal.aborted) return false;
    throw error;
  } finally {
    asking.close();
  }
}
