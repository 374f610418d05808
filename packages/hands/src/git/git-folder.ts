import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { CheckedConfinement } from '../workspace/checked-confinement.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** `.git`, `commondir` and HEAD hold one line with a path or a name: PATH_MAX and a little, in bytes. */
const MAX_LINE_FILE_BYTES = 8 * 1024;

/** Where the data of a repository lie. Dispose it to let go of the handles. */
export interface GitFolders extends Disposable {
  /** HEAD, the index and what else belongs to one working tree. */
  readonly own: PinnedDirectory;
  /** Objects, branches and settings; the same as {@link own} but for a linked worktree. */
  readonly common: PinnedDirectory;
  /** Whether {@link own} lies in the workspace. Outside it nothing can have been planted by whoever wrote the workspace. */
  readonly inside: boolean;
  readonly commonInside: boolean;
  /** Outside and not yet known to belong to this working tree: its `core.worktree` must say so. */
  readonly unproven: boolean;
}

/** A refusal to follow `.git` to a place that belongs to somebody else. */
export function foreignGitFolder(): SynapseError {
  return new SynapseError(
    'denied',
    'The .git of this folder leads to a repository outside the workspace that does not name this folder as its own.',
    {
      hint: 'Only a linked worktree (git worktree add) or a submodule may keep its data outside. Open the repository itself as the workspace.',
    },
  );
}

/** The real path of a directory that is held open. */
export function realPathOf(directory: PinnedDirectory): string {
  return realpathSync.native(directory.self);
}

/** Reads a small regular file without following a link; undefined where there is none. */
export function readSmallFile(directory: PinnedDirectory, name: string, maxBytes = MAX_LINE_FILE_BYTES): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(directory.at(name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    // Missing, a link, or unreadable: there is nothing here that could be used.
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    const buffer = Buffer.alloc(stat.size);
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(fd);
  }
}

function isFolder(directory: PinnedDirectory, name: string): boolean {
  return statSync(directory.at(name), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Whether a folder looks like the data of a repository, as git itself judges it. */
export function isGitFolder(own: PinnedDirectory, common: PinnedDirectory): boolean {
  const head = lstatSync(own.at('HEAD'), { throwIfNoEntry: false });
  return (head?.isFile() === true || head?.isSymbolicLink() === true) && isFolder(common, 'objects') && isFolder(common, 'refs');
}

/** Refuses settings that cannot be read to an end, such as a pipe: git itself would wait. */
export function assertReadableSettings({ own, common }: GitFolders): void {
  for (const stat of [statSync(common.at('config'), { throwIfNoEntry: false }), statSync(own.at('config.worktree'), { throwIfNoEntry: false })]) {
    if (stat !== undefined && !stat.isFile()) throw new SynapseError('not_a_repository', 'The settings in the .git of this folder are not a file.');
  }
}

function openAnywhere(path: string): PinnedDirectory {
  using confinement = HandleConfinement.works() ? new HandleConfinement(path) : new CheckedConfinement(path);
  return confinement.openDirectory([]);
}

/** Opens a folder by the path a git file gives: through the workspace where it lies in it. */
function openNamed(workspace: Workspace, path: string): { directory: PinnedDirectory; inside: boolean } {
  try {
    return { directory: workspace.openDirectory(path), inside: true };
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    // Whether there is something outside must not show: a missing folder is refused like a foreign one.
    if (error.code !== 'outside_workspace') throw new SynapseError('not_a_repository', 'The .git of this folder names a folder that does not exist.');
  }
  try {
    return { directory: openAnywhere(path), inside: false };
  } catch (error) {
    throw new SynapseError(foreignGitFolder().code, foreignGitFolder().message, { cause: error });
  }
}

function pathIn(file: Buffer | undefined, base: string, prefix = ''): string | undefined {
  const text = file?.toString('utf8').replace(/[\r\n]+$/u, '');
  if (text === undefined || !text.startsWith(prefix) || text.length === prefix.length || text.includes('\0')) return undefined;
  return resolve(base, text.slice(prefix.length));
}

/** Whether `<git folder>/gitdir` names this very `.git`: only whoever can write outside could have made it so. */
function namesBack(own: PinnedDirectory, root: PinnedDirectory): boolean {
  const path = pathIn(readSmallFile(own, 'gitdir'), realPathOf(own));
  if (path === undefined) return false;
  const named = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  const here = lstatSync(root.at('.git'), { bigint: true });
  return named !== undefined && named.ino === here.ino && named.dev === here.dev;
}

/** Follows `commondir` of a linked worktree, to the folder that it is registered in. */
function openCommon(workspace: Workspace, own: PinnedDirectory, inside: boolean): { directory: PinnedDirectory; inside: boolean } | undefined {
  if (lstatSync(own.at('commondir'), { throwIfNoEntry: false }) === undefined) return undefined;
  const real = realPathOf(own);
  const path = pathIn(readSmallFile(own, 'commondir'), real);
  if (path === undefined) throw foreignGitFolder();
  const common = openNamed(workspace, path);
  // A planted `commondir` could name any repository; a true one names the one that holds this folder.
  const registered = dirname(dirname(real)) === realPathOf(common.directory);
  if (common.inside || (!inside && registered)) return common;
  common.directory[Symbol.dispose]();
  throw foreignGitFolder();
}

function openOwn(workspace: Workspace, root: PinnedDirectory): { directory: PinnedDirectory; inside: boolean } | undefined {
  const stat = lstatSync(root.at('.git'), { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return { directory: root.child('.git'), inside: true };
  const base = realPathOf(root);
  if (stat?.isSymbolicLink() === true) {
    const target = readlinkSync(root.at('.git'));
    return openNamed(workspace, isAbsolute(target) ? target : join(base, target));
  }
  if (stat?.isFile() !== true) return undefined;
  const path = pathIn(readSmallFile(root, '.git'), base, 'gitdir: ');
  if (path === undefined) throw new SynapseError('not_a_repository', 'The .git file of this folder is not one of git.');
  return openNamed(workspace, path);
}

/**
 * Opens the data of the repository whose working tree is `root`; undefined where it is none.
 * What lies outside the workspace is opened only where it points back here.
 */
export function openGitFolders(workspace: Workspace, root: PinnedDirectory): GitFolders | undefined {
  using resources = new DisposableStack();
  const own = openOwn(workspace, root);
  if (own === undefined) return undefined;
  resources.use(own.directory);
  const linked = openCommon(workspace, own.directory, own.inside);
  if (linked !== undefined) {
    resources.use(linked.directory);
    if (!own.inside && !namesBack(own.directory, root)) throw foreignGitFolder();
  }
  const common = linked ?? own;
  if (!isGitFolder(own.directory, common.directory)) {
    if (own.inside) return undefined;
    throw foreignGitFolder();
  }
  const held = resources.move();
  return {
    own: own.directory,
    common: common.directory,
    inside: own.inside,
    commonInside: common.inside,
    unproven: !own.inside && linked === undefined,
    [Symbol.dispose]: () => held.dispose(),
  };
}
