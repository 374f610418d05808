import { BranchStore, countChanges, defaultStateFolder, isHeld, WorkspaceJobs } from '@synapse/hands/internal';

/** A branch in a list. */
export interface ListedBranch {
  readonly name: string;
  /** The branch that it is based on; null for the workspace. */
  readonly from: string | null;
  /** ISO 8601. */
  readonly created: string;
  /** Number of files and other entries that differ from what it is based on. */
  readonly changes: number;
  /** The jobs that run in it. */
  readonly jobs: ReadonlyArray<{ readonly id: string; readonly command: string }>;
  /** Whether a process works in it. */
  readonly in_use: boolean;
}

/** Lists the branches of a workspace, by name. */
export function listBranches(root: string): ListedBranch[] {
  const stateFolder = defaultStateFolder();
  return new BranchStore(stateFolder, root).list().map(({ folder, record }) => ({
    name: record.name,
    from: record.from,
    created: record.created,
    changes: countChanges(folder),
    jobs: new WorkspaceJobs(folder.state, root)
      .list()
      .filter(({ status }) => status === 'running')
      .map(({ id, command }) => ({ id, command })),
    in_use: isHeld(folder),
  }));
}
