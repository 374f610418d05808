import { readdirSync } from 'node:fs';
import type { Mount } from '../bubblewrap-arguments.ts';
import type { LandlockPlace, Level, NamesIn } from './landlock-rules.ts';

/** What a mount of a namespace is without one. What a namespace has for itself, such as an empty `/tmp`, is that of the machine here: closed. */
const LEVEL_OF: Readonly<Record<Exclude<Mount['kind'], 'link'>, Level>> = {
  writable: 'write',
  'read-only': 'read',
  cache: 'read',
  private: 'none',
  'masked-folder': 'none',
  'masked-file': 'none',
};

/** Returns the places of mounts. One with another source cannot be shown without a namespace. Later ones replace earlier ones. */
export function placesOf(mounts: readonly Mount[]): LandlockPlace[] {
  return mounts.flatMap((mount) => {
    if (mount.kind === 'link' || ('source' in mount && mount.source !== undefined && mount.source !== mount.path)) return [];
    return [{ path: mount.path, level: LEVEL_OF[mount.kind] }];
  });
}

/**
 * What every program needs of the system. The table of processes is that of the machine: the domain of the command keeps it from memory,
 * files and variables of others, and not from their numbers and command lines.
 */
export const BASE_PLACES: readonly LandlockPlace[] = [
  { path: '/proc', level: 'read' },
  ...['null', 'zero', 'full', 'random', 'urandom'].map((name): LandlockPlace => ({ path: `/dev/${name}`, level: 'write' })),
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
