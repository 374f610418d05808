import { lstatSync } from 'node:fs';
import { hasEntry, type Folder } from './folder.ts';
import { throughFolder } from './open-folder.ts';

/** Maximum number of names to look at one by one; for more, reading the whole folder is faster. */
const MAX_NAMES = 16;
const KINDS = ['file', 'folder', 'link', 'socket', 'other'] as const;

/** Whether a folder had a regular file with this name. */
export function hasFile(folder: Folder, name: string): boolean {
  return hasEntry(folder, 'file', name);
}

/**
 * Whether changed names of an open folder are files as before, or missing as before. A folder with the same name may be another
 * one, so it counts as changed.
 */
export function haveSameEntries(handle: number, before: Folder, names: ReadonlySet<string>): boolean {
  if (names.size > MAX_NAMES) return false;
  for (const name of names) {
    const now = lstatSync(throughFolder(handle, name), { throwIfNoEntry: false });
    const isSame = now === undefined ? !KINDS.some((kind) => hasEntry(before, kind, name)) : now.isFile() && hasFile(before, name);
    if (!isSame) return false;
  }
  return true;
}
