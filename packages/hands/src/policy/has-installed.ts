import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Whether a path exists, and is in a folder by its real path. */
function isInside(root: string, path: string): boolean {
  try {
    return realpathSync(path).startsWith(`${realpathSync(root)}${sep}`);
  } catch {
    // Missing, a loop of links, or closed to this user.
    return false;
  }
}

/**
 * Whether npm and similar tools find a program of this name in a folder of the workspace or above it, and therefore do not
 * download it. Such a program is project code, like any script, which only a sandbox confines. What is behind a link out of the
 * workspace is not: commands do not see it, or it is another program with that name.
 */
export function hasInstalled(root: string, folder: string, name: string): boolean {
  let place = resolve(root, folder);
  if (relative(root, place).startsWith('..')) return false;
  for (;;) {
    if (isInside(root, join(place, 'node_modules', '.bin', name))) return true;
    if (place === root || dirname(place) === place) return false;
    place = dirname(place);
  }
}
