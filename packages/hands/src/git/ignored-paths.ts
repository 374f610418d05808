import { isSynapseError } from '@synapse/protocol';
import type { Workspace } from '../workspace/workspace.ts';
import type { Git } from './git.ts';

/** Maximum length of all paths together, which are held in memory twice. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** check-ignore takes plain paths and no patterns, and fails with the option for literal paths. */
const PLAIN_PATHS = ['--no-literal-pathspecs'];
/** Exit code of `git check-ignore` if no path is ignored. */
const NONE = 1;

/**
 * Returns the paths that the workspace's repository ignores; undefined if that cannot be known, as without a repository. Folders end in a
 * slash. Tracked files are not ignored, whatever the rules say.
 */
export async function ignoredPaths(
  git: Git,
  workspace: Workspace,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  if (paths.length === 0) return new Set();
  if (paths.reduce((sum, path) => sum + path.length + 1, 0) > MAX_CHARACTERS) return undefined;
  const chunks: Buffer[] = [];
  try {
    using repository = await git.open(workspace, signal);
    // git runs in the top of the working tree, and the workspace may be a folder of it.
    const arguments_ = new Map(paths.map((path) => [`./${repository.changeArgument(path)}`, path]));
    await repository.run({
      arguments: [...PLAIN_PATHS, 'check-ignore', '-z', '--stdin'],
      input: [...arguments_.keys(), ''].join('\0'),
      fine: NONE,
      onOutput: (chunk) => void chunks.push(chunk),
    });
    const names = Buffer.concat(chunks).toString('utf8').split('\0');
    return new Set(names.flatMap((name) => arguments_.get(name) ?? []));
  } catch (error) {
    if (!isSynapseError(error) || signal.aborted) throw error;
    return undefined;
  }
}
