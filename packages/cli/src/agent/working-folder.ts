import { placeInBranch } from '@synapse/hands/internal';
import { isAbsolute, relative, sep } from 'node:path';
import { workspaceRoot } from '../hands/workspace-root.ts';

/** The current folder if it is in the workspace: its instructions for agents count too. */
export function workingFolder(workspace: string): { readonly folder?: string } {
  const folder = placeInBranch(workspaceRoot());
  const inner = relative(workspace, folder);
  return inner === '' || inner.split(sep)[0] === '..' || isAbsolute(inner) ? {} : { folder };
}
