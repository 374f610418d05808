import { existsSync, realpathSync } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import type { AreaParts } from '../transaction/read-area.ts';
import type { TransactionArea } from '../transaction/transaction-area.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { joinNames } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { CommitStore, hasPlainObjects } from '../transaction/commit-store.ts';
import { References } from '../git/references.ts';

/** What reading both sides of a repository requires. */
export type SidesParts = Pick<AreaParts, 'confinement' | 'processes' | 'signal'>;

/** A repository that a branch changed, as the branch and the workspace have it. */
export interface RepositorySides extends Disposable {
  readonly upper: HandleConfinement;
  /** The folder of the repository in the workspace. */
  readonly there: PinnedDirectory;
  /** The references that the branch has. */
  readonly ours: References;
  /** The references that the workspace has. */
  readonly theirs: References;
  /** The commit that the branch is at. */
  readonly tip: string;
  /** The commit that the workspace is at; undefined if there is none. */
  readonly head: string | undefined;
  /** The objects of both. */
  readonly store: CommitStore;
}

/** Opens both sides of a repository; undefined if the branch has no commits, or objects that lead elsewhere. */
export async function openSides(parts: SidesParts, area: TransactionArea, repository: WorkspacePath): Promise<RepositorySides | undefined> {
  using opening = new DisposableStack();
  const upper = opening.use(new HandleConfinement(area.upper));
  const own = opening.use(upper.openDirectory(repository));
  const there = opening.use(parts.confinement.openDirectory(repository));
  // Each line of a list of stores is a path.
  if (`${upper.root}${parts.confinement.root}`.includes('\n')) return undefined;
  const theirs = new References([there]);
  const pinned = openPinned(area, repository);
  if (pinned !== undefined) opening.use(pinned);
  const ours = new References([own, ...(pinned === undefined ? [] : [pinned]), there]);
  const [tip, head] = [ours.get('HEAD'), theirs.get('HEAD')];
  if (tip === undefined || !(await hasPlainObjects(own, parts.signal)) || existsSync(there.at('reftable'))) return undefined;
  const stores = [upper, parts.confinement].map(({ root }) => Buffer.from(joinNames(root, [...repository, 'objects'])));
  const store = opening.use(new CommitStore(parts, area.path, stores, tip.length));
  const opened = opening.move();
  return { upper, there, ours, theirs, tip, head, store, [Symbol.dispose]: () => opened.dispose() };
}

function openPinned({ pinned }: TransactionArea, repository: WorkspacePath): PinnedDirectory | undefined {
  if (!existsSync(pinned)) return undefined;
  using layer = new HandleConfinement(realpathSync(pinned));
  return openIfThere(layer, repository);
}

/** The folder of the repository that an entry is in; undefined if it is in none, or in one without a folder `.git`. */
export function repositoryFolder(location: WorkspacePath): WorkspacePath | undefined {
  const depth = location.indexOf('.git');
  return depth === -1 ? undefined : location.slice(0, depth + 1);
}

/** Opens a folder; undefined if there is none. */
export function openIfThere(workspace: Confinement, location: WorkspacePath): PinnedDirectory | undefined {
  try {
    return workspace.openDirectory(location);
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}
