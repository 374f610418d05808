import { lstatSync } from 'node:fs';
import type { PinnedDirectory } from '../workspace/confinement.ts';

/** Marks that git leaves in `.git` while an operation waits to be finished; the first that is there counts. */
const MARKS = [
  // A rebase stops at picks that have marks of their own, so it comes first.
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
] as const;

export const OPERATIONS = ['merge', 'rebase', 'am', 'cherry-pick', 'revert', 'bisect'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What a repository is in the middle of. */
export function operationInProgress(ownFolder: PinnedDirectory): Operation | undefined {
  return MARKS.find(([mark]) => lstatSync(ownFolder.at(mark), { throwIfNoEntry: false }) !== undefined)?.[1];
}
