import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import { readSmallFile } from '../git/git-folder.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { foldersBelow, type BranchFolder } from './branch-folder.ts';
import { References } from './references.ts';

/** Maximum bytes of an index that is kept: about 5,000 files. With a larger one, git in a branch sees what others stage and commit as staged. */
const MAX_INDEX_BYTES = 512 * 1024;

/**
 * Keeps HEAD, the reference that it names, and the index as they are now, in a layer between the workspace and the branch. If git in the branch saw
 * those of the workspace, HEAD would move with each commit there, and an index that git in the branch has written would not: then its next commit
 * would take back what others committed.
 *
 * Call it only while nothing has the branch mounted.
 */
export function pinHead(folder: BranchFolder, root: string): void {
  // What git wrote in the branch belongs to the HEAD that it saw. Branches based on this one may be mounted.
  if (existsSync(folder.pinned) && (isWritten(join(folder.upper, '.git')) || hasEntry(folder.based))) return;
  const [below] = foldersBelow(folder);
  rmSync(folder.pinned, { recursive: true, force: true });
  if (below !== undefined && existsSync(below.pinned)) return symlinkSync(below.pinned, folder.pinned);
  const made = `${folder.pinned}.new`;
  rmSync(made, { recursive: true, force: true });
  try {
    using workspace = new HandleConfinement(root);
    using repository = workspace.openDirectory(['.git']);
    if (!writePinned(repository, made)) return;
  } catch (error) {
    // No repository, or one that this user cannot read.
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return rmSync(made, { recursive: true, force: true });
  }
  renameSync(made, folder.pinned);
}

/** Returns whether anything was written: not if HEAD is no commit. */
function writePinned(repository: PinnedDirectory, made: string): boolean {
  const names = new References([repository]).chain('HEAD');
  if (names === undefined) return false;
  const owner = statSync(repository.self);
  // Whatever the permissions there are, this user can write and remove it.
  const own = (path: string, mode: number): void => {
    chmodSync(path, mode & 0o777);
    if (owner.uid !== process.getuid?.()) lchownSync(path, owner.uid, owner.gid);
  };
  mkdirSync(made, { mode: 0o700 });
  const addFolder = (path: string): void => {
    const at = join(made, '.git', path);
    if (existsSync(at)) return;
    if (path !== '.') addFolder(dirname(path));
    mkdirSync(at);
    own(at, (statSync(repository.at(path), { throwIfNoEntry: false }) ?? owner).mode | 0o700);
  };
  const add = (name: string, content: string | Buffer): void => {
    addFolder(dirname(name));
    const at = join(made, '.git', name);
    writeFileSync(at, content);
    own(at, (lstatSync(repository.at(name), { throwIfNoEntry: false })?.mode ?? 0o644) | 0o600);
  };
  for (const [name, text] of names) add(name, `${text}\n`);
  // After HEAD. If others commit meanwhile, what they committed counts as staged, and a commit in the branch takes nothing of it back.
  const index = readSmallFile(repository, 'index', MAX_INDEX_BYTES);
  if (index !== undefined) add('index', index);
  return true;
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
