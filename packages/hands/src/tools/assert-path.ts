import { SynapseError } from '@synapse/protocol';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * Distinguishes a missing path from a path with an empty answer: a mistyped path has no changes and no history.
 *
 * @throws SynapseError `not_found` if the path is currently neither a file nor a folder
 */
export function assertPath(workspace: Pick<Workspace, 'describe'>, path: string): void {
  try {
    workspace.describe(path);
  } catch (error) {
    throw new SynapseError('not_found', `Path not found: ${path}`, {
      hint: 'Nothing is known of it here, now or before. Use find_files to locate it.',
      cause: error,
    });
  }
}
