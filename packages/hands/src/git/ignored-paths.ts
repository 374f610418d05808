import { isSynapseError } from '@synapse/protocol';
import type { Workspace } from '../workspace/workspace.ts';
import type { Git } from './git.ts';

/** Maximum length of all paths together. The arguments of a process are limited. */
const MAX_CHARACTERS = 256 * 1024;
/** check-ignore takes plain paths and no patterns, and fails with the option for literal paths. */
const PLAIN_PATHS = ['--no-literal-pathspecs'];
/** Exit code of `git check-ignore` if no path is ignored. */
const NONE = 1;

/**
 * Returns the paths that the workspace's repository ignores. Folders end in a slash. Tracked files are not ignored,
 * whatever the rules say. Empty if there is no repository.
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
    // If git fails, nothing counts as ignored.
    if (!isSynapseError(error) || signal.aborted) throw error;
    return new Set();
  }
  // A name that git prints in quotes matches no given path, so it does not count as ignored.
  const lines = Buffer.concat(chunks).toString('utf8').split('\n');
  return new Set(lines.map((line) => line.replace('./', '')));
}
