import { repositoryOf } from '../transaction/plan-changes.ts';
import type { PlannedEntry, ReadChanges } from '../transaction/planned-entry.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { repositoryFolder } from './repository-sides.ts';
import { conflictOf, type Ruling } from './rule-changes.ts';

/**
 * Makes conflicts of repositories some of whose files stay in the branch. Beside a HEAD that moved, those files would be changes in the workspace that
 * take the others back, and the next commit there might have them. The commits come as a branch of git instead, which git merges with its files.
 *
 * @param read what the branch changed
 * @param rulings what becomes of the part that is applied
 */
export function withoutParts({ changes }: Pick<ReadChanges, 'changes'>, rulings: ReadonlyMap<PlannedEntry, Ruling>): Map<PlannedEntry, Ruling> {
  const staying = changes.filter((change) => {
    const ruling = rulings.get(change);
    return ruling === undefined || ruling.kind === 'conflict' || (ruling.kind === 'mixed' && ruling.rest !== undefined);
  });
  const known = new Map<string, boolean>();
  const isPart = (change: PlannedEntry, repository: string): boolean => {
    const found = known.get(repository) ?? staying.some((one) => isFileOf(one, change, repository));
    known.set(repository, found);
    return found;
  };
  return new Map(
    Array.from(rulings, ([change, ruling]) => {
      const repository = repositoryOf(change.location);
      const isTaken = repository !== undefined && ruling.kind !== 'workspace' && isPart(change, repository);
      return [change, isTaken ? { kind: 'conflict', conflict: conflictOf(change) } : ruling];
    }),
  );
}

/** Whether an entry is in the folder of a repository, which another entry is a part of. */
function isFileOf({ location }: PlannedEntry, ofRepository: PlannedEntry, repository: string): boolean {
  const folder = bytePath(repositoryFolder(ofRepository.location)?.slice(0, -1) ?? []);
  return repositoryOf(location) !== repository && (folder === '' || bytePath(location).startsWith(`${folder}/`));
}
