import type { BigIntStats } from 'node:fs';
import { TreeCursor, visitTreeSync } from '../workspace/tree-cursor.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { BranchFolder } from './branch-folder.ts';
import { clonedType, locationOf, ownIdentity, type ClonedEntry, type CloneManifest } from './clone-manifest.ts';

/** An entry of a clone that differs from what was copied. */
export interface CloneChange {
  readonly location: WorkspacePath;
  /** Undefined if it was deleted. Then what was in it is not listed. */
  readonly now: BigIntStats | undefined;
}

/**
 * What was changed in a clone, by the keys of `bytePath`: folders before what is in them.
 *
 * @param isListed whether an entry that may differ is listed. Default: all are
 */
export function changesOfClone(
  { clone }: BranchFolder,
  manifest: CloneManifest,
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
    const before = manifest.entries.get(key);
    if (before?.type === 'folder' && stat.isDirectory()) standing.add(key);
    if (!isSame(before, stat) && isListed(location, cursor.at(name), stat)) changes.set(key, { location, now: stat });
  });
  for (const key of manifest.entries.keys())
    if (!seen.has(key) && standing.has(key.slice(0, Math.max(0, key.lastIndexOf('/')))))
      changes.set(key, { location: locationOf(key), now: undefined });
  return changes;
}

/** What is in a folder has entries of its own, so only its permissions count. */
function isSame(before: ClonedEntry | undefined, now: BigIntStats): boolean {
  if (before === undefined || before.type !== clonedType(now)) return false;
  return now.isDirectory() ? before.mode === (Number(now.mode) & 0o7777) : before.own === ownIdentity(now);
}
