import { constants, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../workspace/file-error.ts';

/**
 * Folders of the state folder that a branch shares with its workspace: what people decided, what is found by content, and the locks.
 * Everything else belongs to a branch alone, such as its journal, its audit log, its jobs and the copies of its commands.
 */
export const SHARED_FOLDERS = ['branches', 'cache-layers', 'caches', 'compiled', 'git', 'grants', 'installs', 'locks', 'windows'] as const;

/** Databases of the state folder that a branch shares, as links: next to each are files that SQLite makes. */
export const SHARED_DATABASES = ['projects.db', 'mcp.db', 'sessions.db'] as const;

/** Where a branch shows the real state folder, in its own. */
export const MAIN_STATE = 'main';

/** Where a branch shows the workspace that it is based on, in its own state folder. */
export const BASE = 'base';

/** A file in the state of a branch that is based on another one. */
export const ON_BRANCH = 'on-branch';

/** A file in the state of a branch that is a clone. */
export const IS_CLONE = 'is-clone';

/** What shows through the workspace of a state folder, if that is the state of a branch; undefined if it is not. */
export function shownBelow(stateFolder: string): { readonly path: string } | 'unknown' | 'nothing' | undefined {
  const path = join(stateFolder, BASE);
  if (!existsSync(path)) return undefined;
  if (existsSync(join(stateFolder, IS_CLONE))) return 'nothing';
  return existsSync(join(stateFolder, ON_BRANCH)) ? 'unknown' : { path };
}

/** A link in the state of a branch to the pipe that its users keep open. */
export const USED = 'used';

/** Keeps the branch of a state folder mounted until this process ends; does nothing in a workspace. For a process that its user does not wait for. */
export function keepMounted(stateFolder: string): void {
  try {
    openSync(join(stateFolder, USED), constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    // No branch, or its holder was killed: then nothing can be kept.
    if (!['ENOENT', 'ENXIO'].includes(errnoOf(error) ?? '')) throw error;
  }
}
