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

/** Says what both sides did with an entry. */
export function describeConflict({ path, branch, workspace }: BranchConflict): string {
  return `${path}, ${branch} in the branch and ${workspace} in the workspace`;
}
