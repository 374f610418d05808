import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultStateFolder, Projects, recordedRoot } from '@synapse/hands/internal';
import type { Output } from '../output/output.ts';
import { track } from './open-hands.ts';

/** The path that a folder's records are stored under. Works for deleted folders, too. */
export function workspaceRoot(folder = '.'): string {
  const given = resolve(folder);
  try {
    return realpathSync(given);
  } catch {
    // Deleted or unreachable: use the path as given.
    return given;
  }
}

/** The path that the sessions of a folder are stored under. Those in a branch belong to its workspace. */
export const sessionsRoot = (folder?: string): string => recordedRoot(workspaceRoot(folder));

/** The real path of a command's project: the named folder, or the current one if it is tracked. */
export function trackedRoot(workspace: string | undefined, err: Output): string {
  if (workspace !== undefined) track(workspace, err);
  using projects = Projects.open(defaultStateFolder());
  return projects.require(workspace ?? '.').root;
}
