import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import { visitTree } from '../workspace/visit-tree.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { describeRepositories } from './describe-repositories.ts';
import { madeCommit } from './made-commit.ts';
import { OverlayView } from './overlay-view.ts';
import type { PlannedEntry, ReadChanges } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Where git keeps the names of commits. Its other files need not be looked through. */
const HAS_REFS = /(?:^|\/)\.git\/(?:refs(?:\/|$)|packed-refs$|HEAD$|worktrees\/[^/]+\/HEAD$)/u;

/** Whether a command made a folder anew, so that nothing of the former one is left. */
const isReplaced = ({ isModeOnly, before, now }: PlannedEntry): boolean =>
  !isModeOnly && before?.isDirectory() === true && now?.isDirectory() === true;

/** Shows what a command did to the commits, branches and tags of repositories, one line each. */
export async function showRepositories(confinement: Confinement, area: TransactionArea, { changes }: ReadChanges): Promise<string[]> {
  const own = changes.filter(({ location }) => HAS_REFS.test(bytePath(location)));
  if (own.length === 0) return [];
  using stack = new DisposableStack();
  const root = stack.use(confinement.openDirectory([]));
  const upper = stack.use(new HandleConfinement(area.upper));
  const before = stack.use(new ConfinedView(root));
  const after = new OverlayView(stack.use(new ConfinedView(stack.use(upper.openDirectory([])))), before);
  for (const change of changes) if (isReplaced(change)) after.addWhole(bytePath(change.location));
  const paths = new Set<string>();
  const addBelow = async (cursor: TreeCursor, { location }: PlannedEntry): Promise<void> => {
    using walk = cursor;
    for (const name of location) walk.enter(name);
    await visitTree(walk, (name) => void paths.add(bytePath([...walk.location, name])), new AbortController().signal);
  };
  for (const change of own) {
    paths.add(bytePath(change.location));
    if (change.isModeOnly) continue;
    if (change.now?.isDirectory() === true) await addBelow(new TreeCursor(area.upper, { owned: true }), change);
    if (change.before?.isDirectory() === true) await addBelow(new TreeCursor(root.self, { standIn: root.standIn }), change);
  }
  return describeRepositories([...paths], { before, after, madeCommit: (repository, hash) => madeCommit(upper, repository, hash) });
}
