import { SynapseError } from '@synapse/protocol';
import type { PlannedEntry, ReadChanges } from '../transaction/planned-entry.ts';
import { displayPath } from '../workspace/byte-name.ts';

const isIn = (path: string, folder: string): boolean => folder === '.' || path === folder || path.startsWith(`${folder}/`);

/** Paths as changes have them. */
export const plain = (paths: readonly string[]): string[] => paths.map((path) => path.replace(/^\.\//u, '').replace(/\/+$/u, ''));

/** @throws SynapseError `not_found` if a branch does not change one of the paths, or something in it */
export function assertChanged({ changes }: Pick<ReadChanges, 'changes'>, paths: readonly string[]): void {
  const missing = plain(paths).find((folder) => folder !== '.' && !changes.some(({ path }) => isIn(path, folder)));
  if (missing === undefined) return;
  const changed = changes.slice(0, 20).map(({ path }) => path);
  throw new SynapseError('not_found', `The branch does not change ${missing}.`, { hint: `It changes ${changed.join(', ') || 'nothing'}.` });
}

/**
 * The changes of some paths, and of what is in them. Default: all
 *
 * @param also further changes that are chosen
 */
export function choose(read: ReadChanges, paths: readonly string[] | undefined, also: (change: PlannedEntry) => boolean = () => false): ReadChanges {
  if (paths === undefined) return read;
  const folders = plain(paths);
  const isChosen = (path: string): boolean => folders.some((folder) => isIn(path, folder));
  return {
    ...read,
    changes: read.changes.filter((change) => isChosen(change.path) || also(change)),
    withheld: read.withheld.filter(({ path }) => isChosen(path)),
    touched: read.touched.filter(({ location }) => isChosen(displayPath(location))),
  };
}
