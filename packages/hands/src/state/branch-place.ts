import { readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SynapseError } from '@synapse/protocol';

/** The names in the folder of a branch: of its copy of the workspace, of its own state, and of the link to the workspace. */
export const PLACE_NAMES = { clone: 'clone', state: 'state', lower: 'lower' } as const;

/**
 * Tells a process the folder of the branch in which it works, if that is not mounted. With a mount, the branch has the paths of the workspace and of
 * its state folder, and there is nothing to tell.
 */
export const BRANCH_FOLDER_VARIABLE = 'SYNAPSE_BRANCH_FOLDER';

/** A branch that is not mounted, for a process that works in it. */
export interface BranchPlace {
  /** What takes the place of the workspace: its real path. */
  readonly clone: string;
  /** What takes the place of the state folder. */
  readonly state: string;
  /** Real path of the workspace. */
  readonly root: string;
  /** The name of the workspace's folders in the state folder. */
  readonly id: string;
}

/**
 * The branch in which this process works; undefined in a workspace, and in a branch that is mounted.
 *
 * @throws SynapseError `not_found` if it was deleted meanwhile: nothing may be taken for the workspace itself
 */
export function branchPlace(environment: NodeJS.ProcessEnv = process.env): BranchPlace | undefined {
  const folder = environment[BRANCH_FOLDER_VARIABLE];
  if (folder === undefined || folder === '') return undefined;
  const [clone, state] = [join(folder, PLACE_NAMES.clone), join(folder, PLACE_NAMES.state)];
  return { clone, state, root: workspaceOf(folder), id: basename(dirname(folder)) };
}

function workspaceOf(folder: string): string {
  try {
    return readlinkSync(join(folder, PLACE_NAMES.lower));
  } catch (cause) {
    throw new SynapseError('not_found', `The branch in which this process works does not exist any more: ${basename(folder)}`, {
      hint: `Use another terminal, or unset ${BRANCH_FOLDER_VARIABLE}.`,
      cause,
    });
  }
}

/** Where this process finds a folder of the workspace: in its branch, if it works in one. */
export function placeInBranch(path: string, environment: NodeJS.ProcessEnv = process.env): string {
  const place = branchPlace(environment);
  return place !== undefined && `${path}/`.startsWith(`${place.root}/`) ? join(place.clone, path.slice(place.root.length)) : path;
}

/** The path under which a workspace is recorded: that of the workspace itself for its copy in a branch. */
export function recordedRoot(root: string, environment: NodeJS.ProcessEnv = process.env): string {
  const place = branchPlace(environment);
  return root === place?.clone ? place.root : root;
}
