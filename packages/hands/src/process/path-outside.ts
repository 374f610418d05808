import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The folders that POSIX systems have in common. */
export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Maximum number of links to follow, as in the kernel. */
const MAX_LINKS = 40;

/** Returns the real path of a folder, which need not exist yet: a link may lead to where it will be. */
function realOf(folder: string, links = 0): string {
  try {
    return realpathSync.native(folder);
  } catch {
    // Missing, or not accessible for this user.
    const above = dirname(folder);
    const target = links < MAX_LINKS ? linkTarget(folder) : undefined;
    if (target !== undefined) return realOf(resolve(realOf(above, links), target), links + 1);
    return above === folder ? folder : join(realOf(above, links), basename(folder));
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Not a link.
    return undefined;
  }
}

/** Whether a folder, or one on the way to it, is in another one: a link there could lead elsewhere tomorrow. */
function leadsThrough(folder: string, root: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const real = realOf(at);
    if (real === root || real.startsWith(root === '/' ? root : `${root}/`)) return true;
    if (dirname(at) === at) return false;
  }
}

/**
 * Removes the entries of PATH that are in a folder, and those that mean the working directory. `npx`, task runners and active
 * virtual environments add such entries, so that a `git` in the workspace would be what Synapse starts itself, outside of any
 * sandbox. If no entry is left, returns the folders that POSIX systems have in common.
 *
 * @param root the real path of the folder
 */
export function pathOutside(path: string, root: string): string {
  const entries = path.split(':').filter((entry) => entry.startsWith('/') && !leadsThrough(entry, root));
  // An empty PATH means the working directory.
  return entries.length === 0 ? DEFAULT_PATH : entries.join(':');
}
