import { closeSync, readSync } from 'node:fs';
import { openNameless, type ReadHandle } from '../run-files.ts';

/** By which the keeper of a command ends all of its processes at once: see `landlock.pl`. No command can send it, and no model may. */
export const KEEPER_SIGNAL = 'SIGPWR' satisfies NodeJS.Signals;

/** More than the number of processes of any machine has. */
const MAX_DIGITS = 32;

/** The file into which the keeper writes how many processes the command left running. */
export interface LeftFile extends ReadHandle {
  /** Undefined if there is no keeper, or if there were none. */
  readonly count: () => number | undefined;
}

export function openLeft(): LeftFile {
  const descriptor = openNameless();
  return {
    descriptor,
    count() {
      const room = Buffer.alloc(MAX_DIGITS);
      const text = room.toString('latin1', 0, readSync(descriptor, room, 0, room.length, 0));
      return text === '' ? undefined : Number(text);
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
