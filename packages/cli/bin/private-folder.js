// Plain JavaScript, as its caller is.
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';

const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
/** In a sticky folder, such as /tmp, only its owner renames or removes an entry. */
const STICKY = 0o1000;

/** Whether no other user can write to a folder or replace it. */
function isOurs({ uid, gid, mode }, user) {
  if (uid !== user && uid !== 0) return false;
  if ((mode & STICKY) !== 0) return true;
  // Where each user has a group of their own, its number is theirs, and new folders are often open to it.
  return (mode & OTHERS_WRITE) === 0 && ((mode & GROUP_WRITES) === 0 || gid === user);
}

/**
 * The real name of a folder in which only this user may write, made where it is missing; undefined where
 * it cannot be made, is somebody else's, or where others may write to it or to a folder that it is in.
 */
export function privateFolder(path) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const real = realpathSync(path);
    const user = process.geteuid?.();
    if (user === undefined) return real;
    const own = lstatSync(real);
    if (own.uid !== user || (own.mode & (GROUP_WRITES | OTHERS_WRITE)) !== 0) return undefined;
    for (let folder = dirname(real); ; folder = dirname(folder)) {
      if (!isOurs(lstatSync(folder), user)) return undefined;
      if (dirname(folder) === folder) return real;
    }
  } catch {
    // A state folder that cannot be made or seen: what needs it says so itself.
    return undefined;
  }
}
