import { readdirSync } from 'node:fs';
import type { PlaceLevel } from '../place-levels.ts';
import type { NamesIn } from './landlock-rules.ts';

/**
 * What every program needs of the system. The table of processes is that of the machine: the domain of the command keeps it from memory,
 * files and variables of others, and not from their numbers and command lines.
 */
export const BASE_PLACES: readonly PlaceLevel[] = [
  { path: '/proc', level: 'read' },
  ...['null', 'zero', 'full', 'random', 'urandom'].map((name): PlaceLevel => ({ path: `/dev/${name}`, level: 'write' })),
];

/** Reads the names in a folder of this machine. */
export const namesOnDisk: NamesIn = (path) => {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isSymbolicLink() ? [] : [entry.name]));
  } catch {
    // No folder, gone, or closed to this user: nothing in it is allowed.
    return undefined;
  }
};
