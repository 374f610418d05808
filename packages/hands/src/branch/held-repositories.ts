import type { OpenChanges } from '../transaction/apply-changes.ts';
import { openViews } from '../transaction/overlay-view.ts';
import { repositoryOf } from '../transaction/plan-changes.ts';
import type { PlannedEntry, ReadChanges } from '../transaction/planned-entry.ts';
import { showRepositories } from '../transaction/show-repositories.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { HeldRepository } from './branch-conflict.ts';

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

/** Finds the commits that a branch made in repositories that are held. */
export async function heldRepositories(
  confinement: Confinement,
  { area, read }: Pick<OpenChanges, 'area' | 'read'>,
  held: DividedChanges['held'],
  signal: AbortSignal,
): Promise<HeldRepository[]> {
  if (held.size === 0) return [];
  using views = openViews(confinement, area, read);
  const found: HeldRepository[] = [];
  for (const [repository, changes] of held) {
    const { changes: references } = await showRepositories(views, area, { changes }, signal);
    const commits = new Map(references.flatMap((reference) => reference.commits.map(({ hash, subject }) => [hash, subject] as const)));
    found.push({ repository, commits: Array.from(commits, ([hash, subject]) => ({ hash, subject })).slice(0, MAX_COMMITS) });
  }
  return found;
}
