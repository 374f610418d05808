import { constants, existsSync, lstatSync, mkdirSync, openSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../workspace/file-error.ts';

/**
 * Folders of the state folder that a branch shares with its workspace: what people decided, what is found by content, and the locks.
 * Everything else belongs to a branch alone, such as its journal, its audit log, its jobs and the copies of its commands.
 */
const SHARED_FOLDERS = ['branches', 'cache-layers', 'caches', 'compiled', 'git', 'grants', 'installs', 'locks', 'windows'] as const;

/** Databases of the state folder that a branch shares, as links: next to each are files that SQLite makes. */
const SHARED_DATABASES = ['projects.db', 'mcp.db', 'sessions.db'] as const;

/** Where a branch shows the real state folder, in its own: what it shares are links into that. */
export const MAIN_STATE = 'main';

/** Where a branch shows the workspace that it is based on, in its own state folder. */
export const BASE = 'base';

/** A file in the state of a branch that is based on another one. */
export const ON_BRANCH = 'on-branch';

/** A file in the state of a branch that is a clone. */
export const IS_CLONE = 'is-clone';

/** What the state of a branch is made of. */
export interface BranchStateParts {
  /** The folder of the state. */
  readonly state: string;
  /** The real state folder. */
  readonly stateFolder: string;
  /** The names of the audit log: of the workspace, and of the branch in the real state folder. */
  readonly audit: { readonly workspace: string; readonly branch: string };
}

/**
 * Links what a branch shares, and prepares the places on which it is mounted. Again at each mount: a version before had folders in place of links,
 * and a branch can be mounted at one time and not at another.
 *
 * @param isMounted whether the real state folder is mounted in it. Otherwise that is a link, too
 */
export function makeState({ state, stateFolder, audit }: BranchStateParts, isMounted: boolean): void {
  for (const name of [...SHARED_FOLDERS, join('audit', audit.branch)]) mkdirSync(join(stateFolder, name), { recursive: true, mode: 0o700 });
  for (const name of [BASE, 'audit']) mkdirSync(join(state, name), { recursive: true, mode: 0o700 });
  for (const name of [...SHARED_FOLDERS, ...SHARED_DATABASES]) link(join(state, name), join(MAIN_STATE, name));
  link(join(state, 'audit', audit.workspace), join('..', MAIN_STATE, 'audit', audit.branch));
  const main = join(state, MAIN_STATE);
  if (!isMounted) return link(main, stateFolder);
  if (lstatSync(main, { throwIfNoEntry: false })?.isSymbolicLink() === true) unlinkSync(main);
  mkdirSync(main, { recursive: true, mode: 0o700 });
}

/** Makes a link, also in place of an empty folder, or of one that leads to where the state folder was before. */
function link(path: string, target: string): void {
  const known = lstatSync(path, { throwIfNoEntry: false });
  if (known?.isSymbolicLink() === true) {
    if (readlinkSync(path) === target) return;
    unlinkSync(path);
  } else if (known !== undefined) rmdirSync(path);
  symlinkSync(target, path);
}

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
