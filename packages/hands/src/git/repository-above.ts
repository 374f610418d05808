import { lstatSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { openAnywhere, openGitFolders, realPathOf, type GitFolders } from './git-folder.ts';

/** The repository that a workspace is a folder of. */
export interface RepositoryAbove {
  /** The top of its working tree. */
  readonly root: PinnedDirectory;
  readonly folders: GitFolders;
  /** The workspace, relative to the top. */
  readonly names: WorkspacePath;
}

/**
 * Returns the nearest folder above a workspace that has a `.git`. Like git, stays on the same file system. Ignores the
 * repository of a whole home folder.
 */
export function topAbove(workspace: string): string | undefined {
  const home = homedir();
  const device = statSync(workspace).dev;
  if (workspace === home) return undefined;
  for (let at = dirname(workspace); at !== home && at !== dirname(at); at = dirname(at)) {
    if (statSync(at).dev !== device) return undefined;
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return at;
  }
  return undefined;
}

/** Whether a folder is part of a repository that begins above it. */
export function isFolderOfRepository(folder: string): boolean {
  return lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) === undefined && topAbove(folder) !== undefined;
}

/** Opens the repository above a workspace. With write access to only the workspace, it cannot be planted. */
export function openAbove(workspace: Workspace): RepositoryAbove | undefined {
  using inner = workspace.openDirectory('.');
  const real = realPathOf(inner);
  const top = topAbove(real);
  if (top === undefined) return undefined;
  using resources = new DisposableStack();
  const root = resources.use(openAnywhere(top));
  const folders = openGitFolders(workspace, root, false);
  if (folders === undefined) return undefined;
  resources.move();
  return { root, folders, names: relative(top, real).split(sep) };
}
