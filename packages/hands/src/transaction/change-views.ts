import type { TreeView } from '../danger/tree-view.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { OverlayView } from './overlay-view.ts';
import type { PlannedEntry, ReadChanges } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** The workspace before a command, and as the command left its copy. */
export interface ChangeViews extends Disposable {
  readonly root: PinnedDirectory;
  readonly upper: Confinement;
  readonly whole: Confinement;
  readonly before: TreeView;
  readonly after: TreeView;
}

/** Whether a command made a folder anew, so that nothing of the former one is left. */
const isReplaced = ({ isModeOnly, before, now }: PlannedEntry): boolean =>
  !isModeOnly && before?.isDirectory() === true && now?.isDirectory() === true;

/** Opens both sides of changes. No link is followed on either. */
export function openViews(confinement: Confinement, area: TransactionArea, { changes }: Pick<ReadChanges, 'changes'>): ChangeViews {
  using stack = new DisposableStack();
  const root = stack.use(confinement.openDirectory([]));
  const upper = stack.use(new HandleConfinement(area.upper));
  const before = stack.use(new ConfinedView(root));
  const after = new OverlayView(stack.use(new ConfinedView(stack.use(upper.openDirectory([])))), before);
  for (const change of changes) if (isReplaced(change)) after.addWhole(bytePath(change.location));
  const held = stack.move();
  return { root, upper, whole: confinement, before, after, [Symbol.dispose]: () => held.dispose() };
}
