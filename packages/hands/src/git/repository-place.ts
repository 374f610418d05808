import { lstatSync } from 'node:fs';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { displayPath } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { unescapePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { isGitFolder, openGitFolders, type GitFolders } from './git-folder.ts';

/** A repository and a path in it. */
export interface RepositoryPlace {
  /** The top of the working tree. */
  readonly root: PinnedDirectory;
  readonly folders: GitFolders;
  /** The path that was asked about, below the root; empty for the root itself. */
  readonly path: WorkspacePath;
}

function openWhatExists(workspace: Workspace, names: WorkspacePath): { directory: PinnedDirectory; rest: WorkspacePath } {
  for (let length = names.length; ; length -= 1) {
    try {
      return { directory: workspace.openDirectory(displayPath(names.slice(0, length))), rest: names.slice(length) };
    } catch (error) {
      // git also knows files that are gone: their folder may be gone with them.
      if (length === 0 || !isSynapseError(error) || !['not_found', 'wrong_type'].includes(error.code)) throw error;
    }
  }
}

/**
 * The real place of a path that need not exist. Links on the way are followed where they stay inside;
 * at the end a link is meant itself, as git has it.
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
    hint: 'The tools for files and search work without one. A repository above the workspace is not used; in a folder below it, name that folder as "path".',
  });
}

/**
 * Finds the repository that a path belongs to: the nearest folder with a `.git`, from the path up to
 * the workspace root and never above it. The caller disposes both handles.
 */
export function findRepository(workspace: Workspace, path: string): RepositoryPlace {
  const { existing, place } = resolvePlace(workspace, path);
  // A link on the way may lead to a place that the call was not judged by.
  workspace.assertReadable(place);
  for (let length = existing.length; length >= 0; length -= 1) {
    using resources = new DisposableStack();
    const root = resources.use(workspace.openDirectory(displayPath(existing.slice(0, length))));
    const folders = openGitFolders(workspace, root);
    if (folders === undefined) continue;
    resources.move();
    return { root, folders, path: place.slice(length) };
  }
  throw notARepository(workspace);
}
