import type { Mount } from './bubblewrap-arguments.ts';

/** What a command may do with a place and all that is in it. Each level includes those before it. */
export const LEVELS = ['none', 'read', 'write'] as const;
export type Level = (typeof LEVELS)[number];

/** A place with its level. Of several, the nearest one above a path decides. */
export interface PlaceLevel {
  /** Absolute, without links on the way. */
  readonly path: string;
  readonly level: Level;
}

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
export function placesOf(mounts: readonly Mount[]): PlaceLevel[] {
  return mounts.flatMap((mount) => {
    if (mount.kind === 'link' || ('source' in mount && mount.source !== undefined && mount.source !== mount.path)) return [];
    return [{ path: mount.path, level: LEVEL_OF[mount.kind] }];
  });
}
