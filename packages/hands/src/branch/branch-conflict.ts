import * as z from 'zod';

const Did = z.enum(['changed', 'deleted']);

/** Why an entry is not applied: both sides changed it. The branch keeps its version, and the workspace keeps its own. */
export const BranchConflict = z.strictObject({
  path: z.string(),
  /** What the branch did with it. What it created counts as changed. */
  branch: Did,
  /** What was done with it in the workspace since the branch first changed it. */
  workspace: Did,
});
export type BranchConflict = Readonly<z.infer<typeof BranchConflict>>;

/** What counts where both sides changed the same. With `both`, the lines of the workspace are before those of the branch. */
export const PLACE_SIDES = ['branch', 'workspace', 'both'] as const;
export type PlaceSide = (typeof PLACE_SIDES)[number];

/** Says what both sides did with an entry. */
export function describeConflict({ path, branch, workspace }: BranchConflict): string {
  return `${path}, ${branch} in the branch and ${workspace} in the workspace`;
}

/** A commit that a branch made. */
export interface CommitOfBranch {
  readonly hash: string;
  readonly subject: string;
}

/** A repository that something else changed too, or that is not applied with all of its files: only its commits come, as a branch of git. */
export interface HeldRepository {
  /** Such as `.git`. */
  readonly repository: string;
  /** Commits that the branch made, newest first, at most 20: those of HEAD, then those of its other branches of git. */
  readonly commits: readonly CommitOfBranch[];
  /** What follows the name of the branch in the names of the branches of git that they get: nothing for those of HEAD, or such as `-feature`. */
  readonly ends: readonly string[];
  /** Whether the workspace has all commits of the branch. */
  readonly isMerged: boolean;
}

/**
 * Says what becomes of a repository that is held.
 *
 * @param name of the branch, or the handle of what waits
 * @param rest what becomes of all but the commits
 */
export function describeHeld(
  { repository, commits, ends, isMerged }: HeldRepository,
  name: string,
  rest: 'stays in the branch' | 'waits' = 'stays in the branch',
): string {
  if (isMerged) return `${repository} has all commits of ${name}: what else ${name} changed in it ${rest}`;
  const what = `${repository} is not applied, because something else changed it, or because other files stay in the branch:`;
  return commits.length === 0
    ? `${what} what ${name} changed in it ${rest}`
    : `${what} the commits of ${name} come as the git ${ends.length === 1 ? 'branch' : 'branches'} ${ends.map((end) => `synapse/${name}${end}`).join(', ')}, and the rest of it ${rest}`;
}

/** The conflicts that a person can resolve: the files of a repository that is held have a meaning together only. */
export function outsideHeld<Conflict extends { readonly path: string }>(
  conflicts: readonly Conflict[],
  held: readonly Pick<HeldRepository, 'repository'>[],
): Conflict[] {
  return conflicts.filter(({ path }) => !held.some(({ repository }) => path.startsWith(`${repository}/`)));
}
