import { existsSync } from 'node:fs';
import { References } from '../git/references.ts';
import { isOtherIn, putBackIn, type OpenChanges, type TransactionParts } from '../transaction/apply-changes.ts';
import { planChanges, repositoryOf, type Expected } from '../transaction/plan-changes.ts';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import { readArea } from '../transaction/read-area.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import type { BroughtCommits } from './bring-commits.ts';
import { openIfThere, repositoryFolder } from './repository-sides.ts';

/** The changes that would be conflicts, and those of a repository that goes on from a commit that it has no longer. */
export async function conflictsOf(parts: TransactionParts, open: OpenChanges): Promise<readonly PlannedEntry[]> {
  const { confinement, signal } = parts;
  const isPutBack = putBackIn(parts);
  const isOther = isOtherIn(parts, open);
  const { conflicts } = await planChanges({ ...open, confinement, changes: open.read.changes, touched: [], isPutBack, isOther, signal });
  const isConflict = new Set(conflicts);
  return [...conflicts, ...besideHead(parts, open).filter((change) => !isConflict.has(change))];
}

/**
 * Changes of a repository by a command, if others moved HEAD since it began: they would take back those commits, also if they wait and a person sees
 * what they replace. A branch knows more of both sides.
 */
function besideHead({ confinement }: TransactionParts, { area, read }: OpenChanges): readonly PlannedEntry[] {
  const changes = read.changes.filter(({ location }) => location[0] === '.git' && location.length > 1);
  if (changes.length === 0 || !existsSync(area.pinned) || existsSync(area.ofBranch)) return [];
  using layer = new HandleConfinement(area.pinned);
  return headIn(layer) === headIn(confinement) ? [] : changes;
}

/** The name of HEAD and its commit; undefined if there is none. */
function headIn(workspace: Confinement): string | undefined {
  using repository = openIfThere(workspace, ['.git']);
  return repository && new References([repository]).chain('HEAD')?.join('\n');
}

/** Brings commits to the repositories that have conflicts. @param name of the branches of git that they get */
export async function bringAll(parts: TransactionParts, { area, read, ...open }: OpenChanges, name: string): Promise<readonly BroughtCommits[]> {
  const inRepositories = read.changes.filter(({ location }) => repositoryOf(location)?.endsWith('.git') === true);
  if (inRepositories.length === 0) return [];
  const conflicts = await conflictsOf(parts, { ...open, area, read: { ...read, changes: inRepositories } });
  const folders = new Map(conflicts.map(({ location }) => [repositoryOf(location), repositoryFolder(location)]));
  if (folders.size === 0) return [];
  // Loaded on demand: mostly, nothing else changed the repository.
  const { bringCommits } = await import('./bring-commits.ts');
  const brought: BroughtCommits[] = [];
  for (const folder of folders.values()) {
    if (folder !== undefined) brought.push(...(await bringCommits(parts, area, folder, name)));
  }
  return brought;
}

/** Whether a change waits because the commits of its repository were brought, of which it is not the reference. */
export function waitsFor(brought: readonly BroughtCommits[]): (change: PlannedEntry) => boolean {
  const folders = brought.map(({ repository }) => `${bytePath(repository)}/`);
  const refs = new Set(brought.map(({ repository, ref }) => `${bytePath(repository)}/${ref}`));
  return ({ location }) => {
    const path = bytePath(location);
    return !refs.has(path) && folders.some((folder) => path.startsWith(folder));
  };
}

/** What is expected, and that the references of commits may only be replaced as they were found. */
export function orReference(expected: Expected | undefined, brought: readonly BroughtCommits[]): Expected {
  const refs = new Map(brought.map(({ repository, ref, changed }) => [`${bytePath(repository)}/${ref}`, changed]));
  return (location) => {
    const changed = refs.get(bytePath(location));
    return changed === undefined ? expected?.(location) : { changed };
  };
}

/** Changes that wait, whose commits get branches of git, and the rest, as it is applied. */
export interface BroughtChanges {
  readonly open: OpenChanges;
  readonly commits: readonly BroughtCommits[];
}

/** Brings commits to the repositories that have conflicts, and leaves all else in these for later. @param name of the branches of git that they get */
export async function withCommits(parts: TransactionParts, open: OpenChanges, name: string): Promise<BroughtChanges> {
  const { area, command, expected } = open;
  const commits = await bringAll(parts, open, name);
  if (commits.length === 0) return { open, commits };
  // What was put into the layer is judged too.
  const read = await readArea(parts, area, command);
  const waits = waitsFor(commits);
  const waiting = read.changes.filter(waits);
  const conflicts = await conflictsOf(parts, { ...open, read: { ...read, changes: waiting } });
  const changes = read.changes.filter((change) => !waits(change));
  return { open: { ...open, read: { ...read, changes }, expected: orReference(expected, commits), waiting: { conflicts, all: waiting } }, commits };
}
