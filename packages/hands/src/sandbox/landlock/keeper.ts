import { closeSync, openSync, readFileSync } from 'node:fs';
import { keepAnonymous, type ReadHandle } from '../run-files.ts';

/** By which the keeper of a command ends all of its processes at once: see `landlock.pl`. No command can send it, and no model may. */
export const KEEPER_SIGNAL = 'SIGPWR' satisfies NodeJS.Signals;

/** The file into which the keeper writes how many processes the command left running. */
export interface LeftFile extends ReadHandle {
  /** Undefined if there is no keeper, or if there were none. */
  readonly count: () => number | undefined;
}

export function openLeft(): LeftFile {
  const held = keepAnonymous('');
  const path = `/proc/self/fd/${held}`;
  const descriptor = openSync(path, 'r+');
  return {
    descriptor,
    count() {
      const text = readFileSync(path, 'utf8');
      return text === '' ? undefined : Number(text);
    },
    [Symbol.dispose]: () => {
      closeSync(descriptor);
      closeSync(held);
    },
  };
}
