import { accessSync, constants, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** What is made in a folder with this bit belongs to the group of the folder. */
const SET_GROUP = 0o2000;

/**
 * Why commands of this user cannot change a copy of the workspace; undefined if they can. The kernel copies entries only for users and
 * groups that exist in the sandbox, and an ordinary user may bring only their own: not the other groups that they are in.
 *
 * Judged by the workspace and its repository: a few entries of others in it are no reason to do without copies.
 */
export function ownerProblem(root: string): string | undefined {
  const [user, group] = [process.geteuid?.(), process.getegid?.()];
  if (user === undefined || user === 0) return undefined;
  const isForeign = ({ uid, gid }: Stats): boolean => uid !== user || gid !== group;
  const top = statSync(root);
  const isShared = isForeign(top) && (top.mode & SET_GROUP) !== 0;
  if (!isShared && !hasForeignRepository(join(root, '.git'), isForeign)) return undefined;
  return 'the files here belong to another user or group than commands have, and the system copies only those that belong to both';
}

/** Whether there is a repository of others that this user may change. */
function hasForeignRepository(path: string, isForeign: (stat: Stats) => boolean): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true || !isForeign(stat)) return false;
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
