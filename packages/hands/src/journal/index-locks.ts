import { closeSync, lstatSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { displayPath } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { isIndexPath } from './refreshed-index.ts';
import { isSwap } from './swap-entry.ts';
import { loadPath, type Step } from '../workspace/changes/step.ts';

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
