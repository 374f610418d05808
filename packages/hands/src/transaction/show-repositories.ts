import { MAX_SENTENCES } from '../meaning/git-sentences.ts';
import type { ReferenceChange } from '../meaning/repository-change.ts';
import { TreeCursor, visitTree } from '../workspace/tree-cursor.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import type { ChangeViews } from './overlay-view.ts';
import { describeRepositories, type DescribedRepositories } from './describe-repositories.ts';
import { changedFiles, type ObjectBudget } from './committed-files.ts';
import { commitIn, looseObject } from './made-commit.ts';
import type { PlannedEntry, ReadChanges } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Where git keeps the names of commits. Its other files need not be looked through. */
const HAS_REFS = /(?:^|\/)\.git\/(?:refs(?:\/|$)|packed-refs$|HEAD$|worktrees(?:\/[^/]+(?:\/HEAD)?)?$)/u;

/** Maximum bytes of git's objects that are read to count files, for all references of a question. */
const MAX_OBJECT_BYTES = 64 * 1024 * 1024;

/** Shows what a command did to the commits, branches and tags of repositories. */
export async function showRepositories(
  { root, upper, whole, before, after }: ChangeViews,
  area: TransactionArea,
  { changes }: Pick<ReadChanges, 'changes'>,
  signal: AbortSignal,
): Promise<DescribedRepositories> {
  const own = changes.filter(({ location }) => HAS_REFS.test(bytePath(location)));
  if (own.length === 0) return { lines: [], changes: [] };
  const paths = new Set<string>();
  const addBelow = async (cursor: TreeCursor, { location }: PlannedEntry): Promise<void> => {
    using walk = cursor;
    for (const name of location) walk.enter(name);
    await visitTree(walk, (name) => void paths.add(bytePath([...walk.location, name])), signal);
  };
  for (const change of own) {
    paths.add(bytePath(change.location));
    if (change.isModeOnly) continue;
    if (change.now?.isDirectory() === true) await addBelow(new TreeCursor(area.upper, { owned: true }), change);
    if (change.before?.isDirectory() === true) await addBelow(new TreeCursor(root.self, { standIn: root.standIn }), change);
  }
  const described = describeRepositories([...paths], {
    before,
    after,
    madeCommit: (repository, hash) => commitIn(upper, repository, hash),
    oldCommit: (repository, hash) => commitIn(whole, repository, hash),
  });
  const budget: ObjectBudget = { bytes: MAX_OBJECT_BYTES };
  const references: ReferenceChange[] = [];
  for (const [index, change] of described.changes.entries()) {
    const isCounted = index < MAX_SENTENCES && change.follows === true;
    const repository = Buffer.from(change.folder === '' ? '.git' : `${change.folder}/.git`).toString('latin1');
    const read = (hash: string): Buffer | undefined => looseObject(upper, repository, hash) ?? looseObject(whole, repository, hash);
    const files = isCounted ? await changedFiles({ read, budget }, change.before ?? '', change.after ?? '', signal) : undefined;
    references.push({ ...change, files });
  }
  return { ...described, changes: references };
}
