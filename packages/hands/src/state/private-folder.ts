import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';

const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
/** In a sticky folder, such as /tmp, only its owner renames or removes an entry. */
const STICKY = 0o1000;

/** Whether a folder is this user's, and no other can write to it. A link is none. Throws if it is missing. */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path);
  return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & (GROUP_WRITES | OTHERS_WRITE)) === 0;
}

/** Whether no other user can replace an entry of a folder. */
function keepsEntries(path: string): boolean {
  const { uid, gid, mode } = lstatSync(path);
  const user = process.getuid?.();
  if (uid !== user && uid !== 0) return false;
  if ((mode & STICKY) !== 0) return true;
  // Where each user has a group of their own, its number is theirs, and new folders are often open to it.
  return (mode & OTHERS_WRITE) === 0 && ((mode & GROUP_WRITES) === 0 || gid === user);
}

/**
 * Whether no other user can write to a folder, or replace it or one that it is in. The command line checks the same before it has loaded anything
 * (`packages/cli/bin/private-folder.js`). Throws if it is missing.
 *
 * @param path its real path
 */
export function isPrivateFolder(path: string): boolean {
  if (!isOwnFolder(path)) return false;
  for (let folder = dirname(path); keepsEntries(folder); folder = dirname(folder)) if (dirname(folder) === folder) return true;
  return false;
}
