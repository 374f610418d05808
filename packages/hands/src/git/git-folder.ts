import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { CheckedConfinement } from '../workspace/checked-confinement.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Maximum size of `.git`, `commondir` and HEAD in bytes: one line with a path (PATH_MAX) or a name. */
const MAX_LINE_FILE_BYTES = 8 * 1024;

/** The folders with the data of a repository. Dispose it to close the handles. */
export interface GitFolders extends Disposable {
  /** The folder of HEAD, the index and other data of one working tree. */
  readonly own: PinnedDirectory;
  /** The folder of objects, branches and settings; differs from {@link own} only in a linked worktree. */
  readonly common: PinnedDirectory;
  /** Whether {@link own} is in the workspace. Data outside it cannot have been planted by the author of the workspace. */
  readonly inside: boolean;
  readonly commonInside: boolean;
  /** Whether it is outside and not yet known to belong to this working tree: its `core.worktree` must confirm it. */
  readonly unproven: boolean;
}

/** Creates the error for a `.git` that leads to another owner's repository. */
export function foreignGitFolder(): SynapseError {
  return new SynapseError(
    'denied',
    'The .git of this folder leads to a repository outside the workspace that does not name this folder as its own.',
    {
      hint: 'Only a linked worktree (git worktree add) or a submodule may keep its data outside. Open the repository itself as the workspace.',
    },
  );
}

/** Returns the real path of an open directory. */
export function realPathOf(directory: PinnedDirectory): string {
  return realpathSync.native(directory.self);
}

/** Reads a small regular file without following a link; undefined if there is none. */
export function readSmallFile(directory: PinnedDirectory, name: string, maxBytes = MAX_LINE_FILE_BYTES): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(directory.at(name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    // Missing, a link, or unreadable: there is nothing to use.
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

/** Whether a folder looks like the data of a repository, by git's criteria. */
export function isGitFolder(own: PinnedDirectory, common: PinnedDirectory): boolean {
  const head = lstatSync(own.at('HEAD'), { throwIfNoEntry: false });
  return (head?.isFile() === true || head?.isSymbolicLink() === true) && isFolder(common, 'objects') && isFolder(common, 'refs');
}

/** Throws for settings that are not a regular file, such as a pipe, on which git would block. */
export function assertReadableSettings({ own, common }: GitFolders): void {
  for (const stat of [statSync(common.at('config'), { throwIfNoEntry: false }), statSync(own.at('config.worktree'), { throwIfNoEntry: false })]) {
    if (stat !== undefined && !stat.isFile()) throw new SynapseError('not_a_repository', 'The settings in the .git of this folder are not a file.');
  }
}

/** Opens any folder of this machine. */
export function openAnywhere(path: string): PinnedDirectory {
  using confinement = HandleConfinement.works() ? new HandleConfinement(path) : new CheckedConfinement(path);
  return confinement.openDirectory([]);
}

/** Opens the folder that a git file names: through the workspace if it is inside. */
function openNamed(workspace: Workspace, path: string): { directory: PinnedDirectory; inside: boolean } {
  try {
    return { directory: workspace.openDirectory(path), inside: true };
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    // A missing folder outside gives the same error as a foreign one, so that the error does not reveal what exists.
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

/** Whether `<git folder>/gitdir` names this very `.git`, which requires write access outside the workspace. */
function namesBack(own: PinnedDirectory, root: PinnedDirectory): boolean {
  const path = pathIn(readSmallFile(own, 'gitdir'), realPathOf(own));
  if (path === undefined) return false;
  const named = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  const here = lstatSync(root.at('.git'), { bigint: true });
  return named !== undefined && named.ino === here.ino && named.dev === here.dev;
}

/** Follows `commondir` of a linked worktree to the folder where it is registered. */
function openCommon(workspace: Workspace, own: PinnedDirectory, inside: boolean): { directory: PinnedDirectory; inside: boolean } | undefined {
  if (lstatSync(own.at('commondir'), { throwIfNoEntry: false }) === undefined) return undefined;
  const real = realPathOf(own);
  const path = pathIn(readSmallFile(own, 'commondir'), real);
  if (path === undefined) throw foreignGitFolder();
  const common = openNamed(workspace, path);
  // A planted `commondir` could name any repository; a genuine one names the repository that contains this folder.
  const registered = dirname(dirname(real)) === realPathOf(common.directory);
  if (common.inside || (!inside && registered)) return common;
  common.directory[Symbol.dispose]();
  throw foreignGitFolder();
}

/** A folder of git's data. `direct` means that it is the `.git` of the working tree itself, and not named by a file. */
interface Own {
  readonly directory: PinnedDirectory;
  readonly inside: boolean;
  readonly direct?: true;
}

function openOwn(workspace: Workspace, root: PinnedDirectory, inside: boolean): Own | undefined {
  const stat = lstatSync(root.at('.git'), { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return { directory: root.child('.git'), inside, direct: true };
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
 * Opens the data of the repository whose working tree is `root`; undefined if it is not a working tree.
 * Opens data outside the workspace only if it points back here.
 *
 * @param inside whether the working tree itself is in the workspace
 */
export function openGitFolders(workspace: Workspace, root: PinnedDirectory, inside = true): GitFolders | undefined {
  using resources = new DisposableStack();
  const own = openOwn(workspace, root, inside);
  if (own === undefined) return undefined;
  resources.use(own.directory);
  const linked = openCommon(workspace, own.directory, own.inside);
  if (linked !== undefined) {
    resources.use(linked.directory);
    if (!own.inside && !namesBack(own.directory, root)) throw foreignGitFolder();
  }
  const common = linked ?? own;
  if (!isGitFolder(own.directory, common.directory)) {
    if (own.inside || own.direct === true) return undefined;
    throw foreignGitFolder();
  }
  const held = resources.move();
  return {
    own: own.directory,
    common: common.directory,
    inside: own.inside,
    commonInside: common.inside,
    unproven: !own.inside && own.direct !== true && linked === undefined,
    [Symbol.dispose]: () => held.dispose(),
  };
}
