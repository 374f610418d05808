import { join, parentOf, resolveIn, type TreeView } from './tree-view.ts';

const MAX_POINTER_BYTES = 8192;
/** Where git keeps the repositories of submodules and worktrees; these are judged like any other. */
const KEPT_BY_GIT = /(?:^|\/)\.git\/(?:modules|worktrees)\/[^/]/u;

/** Where a file named `.git` leads, in the workspace. */
function pointsTo(view: TreeView, rootPath: string, path: string): string | undefined {
  const target = /^gitdir: (?<path>.+)$/u.exec(view.readText(path, MAX_POINTER_BYTES)?.trim() ?? '')?.groups?.['path'];
  return target === undefined ? undefined : resolveIn(rootPath, parentOf(path), target);
}

/** Whether a file named `.git` is what `git submodule` and `git worktree` write. */
export function isUsualPointer(view: TreeView, rootPath: string, path: string): boolean {
  return KEPT_BY_GIT.test(pointsTo(view, rootPath, path) ?? '');
}

/** The configurations of the repository whose working tree a folder is; none where it is no such folder. */
export function configurationsOf(view: TreeView, rootPath: string, folder: string): string[] {
  const path = join(folder, '.git');
  const type = view.type(path);
  const repository = type === 'folder' ? path : type === 'file' ? pointsTo(view, rootPath, path) : undefined;
  if (repository === undefined) return [];
  const common = resolveIn(rootPath, repository, view.readText(join(repository, 'commondir'), MAX_POINTER_BYTES)?.trim() ?? '.');
  return [...(common === undefined ? [] : [join(common, 'config')]), join(repository, 'config.worktree')];
}
