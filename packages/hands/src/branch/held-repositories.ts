import { isSynapseError } from '@synapse/protocol';
import type { OpenChanges } from '../transaction/apply-changes.ts';
import { repositoryOf } from '../transaction/plan-changes.ts';
import type { PlannedEntry, ReadChanges } from '../transaction/planned-entry.ts';
import type { TransactionArea } from '../transaction/transaction-area.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { CommitOfBranch, HeldRepository } from './branch-conflict.ts';
import { otherTips } from './other-tips.ts';
import { openSides, repositoryFolder, type SidesParts } from './repository-sides.ts';

/** Maximum number of commits to name. */
const MAX_COMMITS = 20;

/** Changes of repositories that have conflicts, by the repository, and all others. */
export interface DividedChanges {
  readonly rest: ReadChanges;
  readonly held: ReadonlyMap<string, readonly PlannedEntry[]>;
}

/** Divides changes by whether a conflict holds their repository. */
export function withoutHeld(read: ReadChanges, conflicts: ReadonlyArray<{ readonly path: string }>): DividedChanges {
  const paths = new Set(conflicts.map(({ path }) => path));
  const names = new Set(read.changes.flatMap(({ path, location }) => (paths.has(path) ? (repositoryOf(location) ?? []) : [])));
  const held = new Map<string, PlannedEntry[]>();
  const rest = read.changes.filter((change) => {
    const name = repositoryOf(change.location) ?? '';
    if (!names.has(name)) return true;
    const members = held.get(name) ?? [];
    members.push(change);
    held.set(name, members);
    return false;
  });
  return { rest: { ...read, changes: rest }, held };
}

/** Finds the commits that a branch has, and the workspace has not, in repositories that are held. */
export async function heldRepositories(
  parts: SidesParts,
  { area }: Pick<OpenChanges, 'area'>,
  held: DividedChanges['held'],
): Promise<HeldRepository[]> {
  const found: HeldRepository[] = [];
  for (const [repository, [first]] of held) found.push({ repository, ...(await commitsOf(parts, area, first)) });
  return found;
}

async function commitsOf(parts: SidesParts, area: TransactionArea, change: PlannedEntry | undefined): Promise<Omit<HeldRepository, 'repository'>> {
  const none = { commits: [], ends: [], isMerged: false };
  const folder = change && repositoryFolder(change.location);
  if (folder === undefined) return none;
  try {
    using sides = await openSides(parts, area, folder);
    if (sides === undefined) return none;
    const { store, tip, head } = sides;
    const commits = new Map<string, CommitOfBranch>();
    const ends: string[] = [];
    for (const { commit, end } of [{ commit: tip, end: '' }, ...(await otherTips(sides, folder, parts.signal))]) {
      const found = await store.newCommits(commit, head, MAX_COMMITS);
      if (found.length > 0) ends.push(end);
      for (const one of found) commits.set(one.hash, one);
    }
    const isMerged = commits.size === 0 && head !== undefined && (tip === head || (await store.isAncestor(tip, head)));
    return { commits: [...commits.values()].slice(0, MAX_COMMITS), ends, isMerged };
  } catch (error) {
    parts.signal.throwIfAborted();
    // Something is not as a repository has it: nothing of it can come.
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return none;
  }
}
