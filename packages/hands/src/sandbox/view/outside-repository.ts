import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isWithin } from '../../workspace/workspace-path.ts';

/** Maximum bytes of these files, which contain one line with a path. */
const MAX_LINE_BYTES = 8 * 1024;

/** The absolute path that a git file contains. */
function pathIn(file: string, prefix = ''): string | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > MAX_LINE_BYTES) return undefined;
  const text = readFileSync(file, 'utf8').replace(/[\r\n]+$/u, '');
  if (!text.startsWith(prefix) || text.length === prefix.length || text.includes('\0')) return undefined;
  const path = text.slice(prefix.length);
  return isAbsolute(path) ? path : resolve(dirname(file), path);
}

function isSameEntry(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

/** A repository outside the workspace, of which the workspace is a linked worktree. */
export interface LinkedWorktree {
  readonly repository: string;
  /** Its name in the repository's folder `worktrees`. */
  readonly name: string;
}

/**
 * The repository of which the workspace is a linked worktree, if it is outside. The repository must name this workspace as
 * its worktree, which requires write access to it: a `.git` file in a hostile workspace could lead to any repository.
 */
export function linkedWorktree(root: string): LinkedWorktree | undefined {
  try {
    const own = pathIn(join(root, '.git'), 'gitdir: ');
    if (own === undefined) return undefined;
    const real = realpathSync(own);
    const back = pathIn(join(real, 'gitdir'));
    const common = pathIn(join(real, 'commondir'));
    if (isWithin(real, root) || back === undefined || common === undefined || !isSameEntry(back, join(root, '.git'))) return undefined;
    const repository = realpathSync(common);
    // A registered worktree has a folder in `worktrees` of its repository.
    const isRegistered = dirname(real) === join(repository, 'worktrees');
    return isRegistered ? { repository, name: basename(real) } : undefined;
  } catch {
    // A path is missing, or closed to this user. Then git does not work there either.
    return undefined;
  }
}

/** The folder of that repository. */
export const outsideRepository = (root: string): string | undefined => linkedWorktree(root)?.repository;

/** The folder to open as the workspace in place of a linked worktree: where its repository is. Undefined if the workspace is none. */
export function homeOfWorktree(root: string): string | undefined {
  const repository = outsideRepository(root);
  return repository !== undefined && basename(repository) === '.git' ? dirname(repository) : repository;
}
