import { existsSync, lstatSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { writeHead } from '../git/write-head.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { foldersBelow, type BranchFolder } from './branch-folder.ts';

/** Keeps HEAD and the index for a branch as they are now. Call it only while nothing has the branch mounted. */
export function pinHead(folder: BranchFolder, root: string): void {
  // What git wrote in the branch belongs to the HEAD that it saw. Branches based on this one may be mounted.
  if (existsSync(folder.pinned) && (isWritten(join(folder.upper, '.git')) || hasEntry(folder.based))) return;
  const [below] = foldersBelow(folder);
  rmSync(folder.pinned, { recursive: true, force: true });
  if (below !== undefined && existsSync(below.pinned)) return symlinkSync(below.pinned, folder.pinned);
  const made = `${folder.pinned}.new`;
  rmSync(made, { recursive: true, force: true });
  if (writeHead(root, made) !== undefined) renameSync(made, folder.pinned);
}

const hasEntry = (folder: string): boolean => existsSync(folder) && readdirSync(folder).length > 0;

/** Whether anything other than folders is at a path, as far as that can be read: programs in the branch made it. */
function isWritten(path: string): boolean {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    return !stat.isDirectory() || readdirSync(path).some((name) => isWritten(join(path, name)));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return true;
  }
}
