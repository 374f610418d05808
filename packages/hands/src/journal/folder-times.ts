import { statSync, utimesSync, type BigIntStats } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { displayPath } from '../workspace/byte-name.ts';
import { isSwap, loadPath, type Step } from '../workspace/changes/step.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { secondsOf } from '../workspace/file-seconds.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/** Times are restored with an error of a quarter of a microsecond; the clock for file times ticks every few milliseconds. */
const SAME_NS = 1_000n;

interface FolderTime {
  readonly location: WorkspacePath;
  /** Nanoseconds since 1970. */
  modified: bigint;
}

const isSame = (one: bigint, other: bigint): boolean => one - other < SAME_NS && other - one < SAME_NS;

function withFolder<T>(confinement: Confinement, location: WorkspacePath, work: (path: string) => T): T | undefined {
  try {
    using folder = confinement.openDirectory(location);
    return work(folder.self);
  } catch (error) {
    // Gone, not a folder any more, or of another user. Its time only says when its entries last changed.
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}

/**
 * Plans the times of the folders in which steps exchange entries. A folder that something else changed since is left out.
 * Programs such as `make` compare the times of folders.
 *
 * @returns a function that sets the times, for when the steps are done
 */
export function planFolderTimes(confinement: Confinement, steps: readonly Step[]): () => void {
  const folders = new Map<string, FolderTime | undefined>();
  for (const step of steps) {
    if (!isSwap(step) || step.swap.folder === undefined) continue;
    const { before, after } = step.swap.folder;
    const location = loadPath(step.path).slice(0, -1);
    const key = displayPath(location);
    if (!folders.has(key)) {
      const found = withFolder(confinement, location, (path): BigIntStats => statSync(path, { bigint: true }));
      folders.set(key, found === undefined ? undefined : { location, modified: found.mtimeNs });
    }
    const folder = folders.get(key);
    if (folder !== undefined && isSame(folder.modified, BigInt(before))) folder.modified = BigInt(after);
    else folders.set(key, undefined);
  }
  return () => {
    for (const folder of folders.values()) {
      if (folder === undefined) continue;
      withFolder(confinement, folder.location, (path) =>
        utimesSync(path, secondsOf(statSync(path, { bigint: true }).atimeNs), secondsOf(folder.modified)),
      );
    }
  };
}
