import { isSynapseError } from '@synapse/protocol';
import type { Workspace } from '../workspace/workspace.ts';
import type { Git } from './git.ts';

/** More is not looked up: the arguments of a process have an end. */
const MAX_CHARACTERS = 256 * 1024;
/** The code of `git check-ignore` where it ignores none of them. */
const NONE = 1;

/**
 * Which of these paths the repository of the workspace ignores by rules of its own. Folders end in a slash. What is tracked
 * is not ignored, whatever the rules say. Empty where there is no repository.
 */
export async function ignoredPaths(git: Git, workspace: Workspace, paths: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
  if (paths.length === 0 || paths.reduce((sum, path) => sum + path.length + 1, 0) > MAX_CHARACTERS) return new Set();
  const chunks: Buffer[] = [];
  try {
    using repository = await git.open(workspace, signal);
    await repository.run({
      arguments: ['check-ignore', '-z', '--', ...paths],
      fine: NONE,
      onOutput: (chunk) => void chunks.push(chunk),
    });
  } catch (error) {
    // Where git cannot tell, nothing counts as ignored.
    if (!isSynapseError(error) || signal.aborted) throw error;
    return new Set();
  }
  return new Set(Buffer.concat(chunks).toString('utf8').split('\0'));
}
