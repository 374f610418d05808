import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, unlinkSync, writeSync, type PathLike } from 'node:fs';
import { INDEX_HEADER_BYTES, INDEX_SUM_BYTES, MAX_INDEX_BYTES, visitIndex, type IndexEntry } from '../git-format/visit-index.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { SynapseError } from '@synapse/protocol';
import { displayPath } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import { isSwap, loadPath, type Step } from '../workspace/changes/step.ts';

/** Of the sum and the objects in an index of a repository with SHA-256. */
const SHA256_BYTES = 32;

const isSum = (name: 'sha1' | 'sha256', bytes: Buffer, sumBytes: number): boolean =>
  createHash(name).update(bytes.subarray(0, -sumBytes)).digest().equals(bytes.subarray(-sumBytes));

/** The bytes of the sum at the end, and of each object; undefined if it fits none. git sets it to zeros if `index.skipHash` is set. */
function sumBytesOf(bytes: Buffer): number | undefined {
  if (bytes.subarray(-INDEX_SUM_BYTES).equals(Buffer.alloc(INDEX_SUM_BYTES)) || isSum('sha1', bytes, INDEX_SUM_BYTES)) return INDEX_SUM_BYTES;
  return isSum('sha256', bytes, SHA256_BYTES) ? SHA256_BYTES : undefined;
}

/**
 * Returns the parts of an index of git that say what is staged: without the times, inodes, owners and sizes by which git knows files
 * again. Undefined for formats that are not understood.
 */
function meaningOf(bytes: Buffer): Buffer[] | undefined {
  const sumBytes = sumBytesOf(bytes);
  if (sumBytes === undefined) return undefined;
  const parts: Buffer[] = [];
  const visit = ({ mode, owner, object, end: next }: IndexEntry): void => {
    parts.push(bytes.subarray(mode, owner), bytes.subarray(object, next));
  };
  const end = visitIndex(bytes, visit, sumBytes);
  return end === undefined ? undefined : [bytes.subarray(0, INDEX_HEADER_BYTES), ...parts, bytes.subarray(end, bytes.length - sumBytes)];
}

/**
 * Whether two index files of git only differ in times, inodes, owners and sizes: `git status` and `git diff`
 * write the index to record that a file is unchanged. Returns false for formats that it does not understand.
 */
export function isRefreshedIndex(one: Buffer, other: Buffer): boolean {
  if (one.length !== other.length) return false;
  const [first, second] = [meaningOf(one), meaningOf(other)];
  return (
    first !== undefined &&
    second !== undefined &&
    first.length === second.length &&
    first.every((part, index) => part.equals(second[index] ?? Buffer.alloc(0)))
  );
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function readIndex(path: PathLike): Buffer | undefined {
  const fd = openSync(path, READ);
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= MAX_INDEX_BYTES ? readFileSync(fd) : undefined;
  } finally {
    closeSync(fd);
  }
}

/** {@link isRefreshedIndex} for two files. False if one cannot be read. */
export function areRefreshedIndexes(one: PathLike, other: PathLike): boolean {
  try {
    const [first, second] = [readIndex(one), readIndex(other)];
    return first !== undefined && second !== undefined && isRefreshedIndex(first, second);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Whether a path is that of an index of git. */
export function isIndexPath(location: WorkspacePath): boolean {
  return location.at(-1) === 'index' && location.includes('.git');
}

/** Returns a hash of what an index of git says, which is the same after `git status` has written it anew; undefined if it is none. */
export function indexMeaning(path: PathLike): string | undefined {
  try {
    const parts = meaningOf(readIndex(path) ?? Buffer.alloc(0));
    if (parts === undefined) return undefined;
    const hash = createHash('sha256');
    // With the length of each part, so that no two lists of parts are the same text.
    for (const part of parts) hash.update(`${part.length}:`).update(part);
    return hash.digest('hex');
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

const LOCK = 'index.lock';
/** The first characters of a Synapse lock, which identify the lock of a killed process. */
const OURS = 'synapse ';
/** Maximum size of a Synapse lock in bytes. A larger file is an index that git writes. */
const MAX_OURS = 64;

/** Returns the folders whose `index` the steps exchange. git changes an index only while it holds `index.lock` in the same folder. */
function indexFolders(steps: readonly Step[]): WorkspacePath[] {
  const folders = steps.flatMap((step) => (isSwap(step) && isIndexPath(loadPath(step.path)) ? [loadPath(step.path).slice(0, -1)] : []));
  // An undo of several calls exchanges the same index several times.
  return [...new Map(folders.map((folder) => [displayPath(folder), folder])).values()];
}

/**
 * Prevents git from changing an index while steps exchange it.
 *
 * @throws SynapseError `conflict` if git holds the lock
 */
export function lockIndexes(confinement: Confinement, steps: readonly Step[]): Disposable {
  using stack = new DisposableStack();
  for (const location of indexFolders(steps)) {
    let folder: PinnedDirectory;
    try {
      folder = stack.use(confinement.openDirectory(location));
    } catch (error) {
      // The steps create this repository, so nothing else uses it yet.
      if (errnoOf(error) === undefined) throw error;
      continue;
    }
    try {
      const fd = openSync(folder.at(LOCK), 'wx');
      writeSync(fd, `${OURS}${processIdentity()}`);
      closeSync(fd);
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') throw busy(location);
      throw error;
    }
    const at = folder.at(LOCK);
    stack.defer(() => unlinkSync(at));
  }
  return stack.move();
}

/** Removes the locks of a process that was killed while it exchanged an index. */
export function breakIndexLocks(confinement: Confinement, steps: readonly Step[]): void {
  for (const location of indexFolders(steps)) {
    try {
      using folder = confinement.openDirectory(location);
      const at = folder.at(LOCK);
      const stat = lstatSync(at, { throwIfNoEntry: false });
      if (stat === undefined || !stat.isFile() || stat.size > MAX_OURS) continue;
      const text = readFileSync(at, 'latin1');
      if (text.startsWith(OURS) && isRunning(text.slice(OURS.length)) === false) unlinkSync(at);
    } catch (error) {
      // The folder is gone, and so are its locks.
      if (errnoOf(error) === undefined) throw error;
    }
  }
}

function busy(location: WorkspacePath): SynapseError {
  const path = displayPath([...location, LOCK]);
  return new SynapseError('conflict', `git is at work in this repository: ${path} is there; nothing was changed.`, {
    hint: 'Wait until it is done. Where no git runs any more, a person deletes that file.',
    details: { path, problem: 'is held by git' },
    retryable: true,
  });
}
