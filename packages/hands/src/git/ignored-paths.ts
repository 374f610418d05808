import { isSynapseError } from '@synapse/protocol';
import type { Workspace } from '../workspace/workspace.ts';
import type { Git } from './git.ts';

/** More is not looked up: the arguments of a process have an end. */
const MAX_CHARACTERS = 256 * 1024;
/** It takes names of files and no patterns, and refuses to be told so. */
const PLAIN_PATHS = ['--no-literal-pathspecs'];
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
      arguments: [...PLAIN_PATHS, 'check-ignore', '--', ...paths.map((path) => `./${path}`)],
      fine: NONE,
      onOutput: (chunk) => void chunks.push(chunk),
    });
  } catch (error) {
    // Where git cannot tell, nothing counts as ignored.
    if (!isSynapseError(error) || signal.aborted) throw error;
    return new Set();
  }
  // A name that git puts in quotes is none of those given: it does not count as ignored then.
  const lines = Buffer.concat(chunks).toString('utf8').split('\n');
  return new Set(lines.map((line) => line.replace('./', '')));
}
