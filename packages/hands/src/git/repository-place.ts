import { lstatSync } from 'node:fs';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { displayPath } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { unescapePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { isGitFolder, openGitFolders, type GitFolders } from './git-folder.ts';
import { openAbove } from './repository-above.ts';

/** A repository and a path in it. */
export interface RepositoryPlace {
  /** The top of the working tree. */
  readonly root: PinnedDirectory;
  readonly folders: GitFolders;
  /** The requested path, below the root; empty for the root itself. */
  readonly path: WorkspacePath;
  /** The workspace, below the root; empty if the root is in the workspace. */
  readonly below: WorkspacePath;
}

function openWhatExists(workspace: Workspace, names: WorkspacePath): { directory: PinnedDirectory; rest: WorkspacePath } {
  for (let length = names.length; ; length -= 1) {
    try {
      return { directory: workspace.openDirectory(displayPath(names.slice(0, length))), rest: names.slice(length) };
    } catch (error) {
      // git also knows deleted files, whose folder may be deleted too.
      if (length === 0 || !isSynapseError(error) || !['not_found', 'wrong_type'].includes(error.code)) throw error;
    }
  }
}

/**
 * Resolves a path that need not exist. Follows links in the path that stay inside. A final link is not
 * followed, as in git.
 */
function resolvePlace(workspace: Workspace, path: string): { existing: WorkspacePath; place: WorkspacePath } {
  const parsed = workspace.parse(path);
  const names = unescapePath(parsed) ?? parsed;
  const { directory, rest } = openWhatExists(workspace, names.slice(0, -1));
  using held = directory;
  const last = names.slice(-1);
  const [name] = last;
  const isFolder = rest.length === 0 && name !== undefined && lstatSync(held.at(name), { throwIfNoEntry: false })?.isDirectory() === true;
  const place = [...held.location, ...rest, ...last];
  return { existing: isFolder ? place : held.location, place };
}

function notARepository(workspace: Workspace): SynapseError {
  using root = workspace.openDirectory('.');
  if (isGitFolder(root, root)) {
    return new SynapseError('not_a_repository', 'The workspace is a bare repository: it has a history and no files.', {
      hint: 'Open a clone of it as the workspace.',
    });
  }
  return new SynapseError('not_a_repository', 'The workspace is not a git repository.', {
    hint: 'The tools for files and search work without one. In a folder below the workspace, name that folder as "path".',
  });
}

/**
 * Finds the repository that a path belongs to: the nearest folder with a `.git`, from the path up to the workspace root,
 * else the repository that contains the workspace. The caller disposes both handles.
 */
export function findRepository(workspace: Workspace, path: string): RepositoryPlace {
  const { existing, place } = resolvePlace(workspace, path);
  // A link in the path may lead to a place for which the call was not judged.
  workspace.assertReadable(place);
  for (let length = existing.length; length >= 0; length -= 1) {
    using resources = new DisposableStack();
    const root = resources.use(workspace.openDirectory(displayPath(existing.slice(0, length))));
    const folders = openGitFolders(workspace, root);
    if (folders === undefined) continue;
    resources.move();
    return { root, folders, path: place.slice(length), below: [] };
  }
  const above = openAbove(workspace);
  if (above !== undefined) return { root: above.root, folders: above.folders, path: [...above.names, ...place], below: above.names };
  throw notARepository(workspace);
}
