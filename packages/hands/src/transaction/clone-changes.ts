import type { BigIntStats } from 'node:fs';
import { nameFromBytes } from '../workspace/byte-name.ts';
import { TreeCursor, visitTreeSync } from '../workspace/tree-cursor.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';

export const ENTRY_TYPES = ['file', 'link', 'folder', 'other'] as const;

/** What is known of an entry of a clone from when it was copied. */
export interface KnownEntry {
  readonly type: (typeof ENTRY_TYPES)[number];
  readonly mode: number;
  /** The copy: what {@link ownIdentity} is until it is changed. */
  readonly own: string;
}

/** An entry of a clone that differs from what was copied. */
export interface CloneChange {
  readonly location: WorkspacePath;
  /** Undefined if it was deleted. Then what was in it is not listed. */
  readonly now: BigIntStats | undefined;
}

const PERMISSIONS = 0o7777;

/** The type of an entry. */
export function entryType(stat: BigIntStats): KnownEntry['type'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'folder';
  return stat.isSymbolicLink() ? 'link' : 'other';
}

/** Changes with everything that is done to an entry. */
export const ownIdentity = ({ ino, ctimeNs }: BigIntStats): string => `${ino} ${ctimeNs}`;

/** What is known of an entry of a clone as it is now. */
export const knownEntry = (stat: BigIntStats): KnownEntry => ({
  type: entryType(stat),
  mode: Number(stat.mode) & PERMISSIONS,
  own: ownIdentity(stat),
});

/** The location that {@link bytePath} makes a key of. */
export const locationOf = (key: string): WorkspacePath => key.split('/').map((name) => nameFromBytes(Buffer.from(name, 'latin1')));

/**
 * What was changed in a clone, by the keys of `bytePath`: folders before what is in them.
 *
 * @param entries what was copied, by the same keys
 * @param isListed whether an entry that may differ is listed. Default: all are
 */
export function changesOfClone(
  clone: string,
  entries: ReadonlyMap<string, KnownEntry>,
  isListed: (location: WorkspacePath, at: string | Buffer, now: BigIntStats) => boolean = () => true,
): Map<string, CloneChange> {
  const changes = new Map<string, CloneChange>();
  const seen = new Set<string>();
  /** Folders that were folders before, in which something may be missing. */
  const standing = new Set<string>(['']);
  using cursor = new TreeCursor(clone, { owned: true });
  visitTreeSync(cursor, (name, stat) => {
    const location = [...cursor.location, name];
    const key = bytePath(location);
    seen.add(key);
    const before = entries.get(key);
    if (before?.type === 'folder' && stat.isDirectory()) standing.add(key);
    if (!isSame(before, stat) && isListed(location, cursor.at(name), stat)) changes.set(key, { location, now: stat });
  });
  for (const key of entries.keys())
    if (!seen.has(key) && standing.has(key.slice(0, Math.max(0, key.lastIndexOf('/')))))
      changes.set(key, { location: locationOf(key), now: undefined });
  return changes;
}

/** What is in a folder has entries of its own, so only its permissions count. */
function isSame(before: KnownEntry | undefined, now: BigIntStats): boolean {
  if (before === undefined || before.type !== entryType(now)) return false;
  return now.isDirectory() ? before.mode === (Number(now.mode) & PERMISSIONS) : before.own === ownIdentity(now);
}
