/** Why an entry is not applied: both sides changed it. The branch keeps its version, and the workspace keeps its own. */
export interface BranchConflict {
  readonly path: string;
  /** What the branch did with it. What it created counts as changed. */
  readonly branch: 'changed' | 'deleted';
  /** What was done with it in the workspace since the branch first changed it. */
  readonly workspace: 'changed' | 'deleted';
}

/** Says what both sides did with an entry. */
export function describeConflict({ path, branch, workspace }: BranchConflict): string {
  return `${path}, ${branch} in the branch and ${workspace} in the workspace`;
}
