import type { Repository } from './repository.ts';
import { commitArgument } from './revision.ts';

/** What must never be read as an option stands behind this. */
const END_OF_OPTIONS = '--end-of-options';

/** Diffs of submodules would start git in them, out of reach of our settings. */
const NO_SUBMODULES = ['--ignore-submodules=dirty', '--submodule=short'];
const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--no-color'];

/** How the changes of a commit or between two states are told. */
export interface DiffShape {
  readonly patch: boolean;
  /** Lines around each change. */
  readonly context: number;
  /** The repository's place in the workspace, so that a patch names files as every tool does. */
  readonly location: string;
  /** Following renames needs contents that a partial clone may lack. */
  readonly renames: boolean;
}

function only(paths: readonly string[]): string[] {
  return ['--', ...paths];
}

function patchPrefixes(location: string): string[] {
  const prefix = location === '.' ? '' : `${location}/`;
  return [`--src-prefix=a/${prefix}`, `--dst-prefix=b/${prefix}`];
}

function changes({ patch, context, location, renames }: DiffShape): string[] {
  return [
    '-z',
    '--raw',
    '--numstat',
    ...(patch ? ['--patch', `--unified=${context}`, ...patchPrefixes(location)] : []),
    renames ? '--find-renames' : '--no-renames',
    ...NO_PROGRAMS,
    ...NO_SUBMODULES,
  ];
}

export function statusArguments(paths: readonly string[]): string[] {
  return [
    'status',
    '--porcelain=v2',
    '-z',
    '--branch',
    '--show-stash',
    '--untracked-files=normal',
    '--ignore-submodules=dirty',
    '--find-renames',
    ...only(paths),
  ];
}

export function diffArguments(what: { staged: boolean; revision?: string | undefined; paths: readonly string[] }, shape: DiffShape): string[] {
  return [
    'diff',
    ...(what.staged ? ['--cached'] : []),
    ...changes(shape),
    ...(what.revision === undefined ? [] : [END_OF_OPTIONS, what.revision]),
    ...only(what.paths),
  ];
}

/** The three-sided patches of files with conflicts, which have no other form. */
export function conflictArguments(paths: readonly string[], { context, location }: DiffShape): string[] {
  return ['diff', '--cc', `--unified=${context}`, ...patchPrefixes(location), ...NO_PROGRAMS, ...NO_SUBMODULES, ...only(paths)];
}

/** The fields of a commit, each ended by NUL; `parse-log.ts` reads them in this order. */
const COMMIT_FORMAT = '--format=tformat:%H%x00%P%x00%an%x00%ae%x00%aI%x00%D%x00%B%x00';

export function logArguments(what: {
  revision?: string | undefined;
  paths: readonly string[];
  skip: number;
  count: number;
  files: boolean;
  renames: boolean;
}): string[] {
  return [
    'log',
    '-z',
    COMMIT_FORMAT,
    '--no-show-signature',
    '--decorate=short',
    `--skip=${what.skip}`,
    `--max-count=${what.count}`,
    ...(what.files
      ? ['--name-status', '--diff-merges=first-parent', what.renames ? '--find-renames' : '--no-renames', ...NO_PROGRAMS, ...NO_SUBMODULES]
      : ['--no-patch']),
    // Named, a HEAD without a commit is an unknown revision; left out, git says that there are no commits.
    ...(what.revision === undefined ? [] : [END_OF_OPTIONS, what.revision]),
    ...only(what.paths),
  ];
}

/** A commit, also behind a tag, with its changes; those of a merge against its first parent. */
export function showArguments(revision: string, shape: DiffShape, paths: readonly string[] = []): string[] {
  return [
    'show',
    COMMIT_FORMAT,
    '--no-show-signature',
    '--decorate=short',
    '--diff-merges=first-parent',
    ...changes(shape),
    END_OF_OPTIONS,
    commitArgument(revision),
    ...only(paths),
  ];
}

/** The entry of one path at a commit: mode, type, id and size. In a folder given by its own id, a path would not tell what it leads to. */
export function treeEntryArguments(revision: string, path: string): string[] {
  return ['ls-tree', '-z', '-l', '--full-tree', END_OF_OPTIONS, commitArgument(revision), ...only([path])];
}

/** What a folder held; `tree` is its object id, or for the top folder a commit. */
export function treeArguments(tree: string): string[] {
  return ['ls-tree', '-z', '-l', '--full-tree', END_OF_OPTIONS, tree];
}

export function blobArguments(object: string): string[] {
  return ['cat-file', 'blob', object];
}

/** `git blame` of 2.39 takes no end of options: the revision must have been parsed, and so begins with no dash. */
export function blameArguments(what: { revision?: string | undefined; path: string; first: number; count: number }): string[] {
  return [
    'blame',
    '--porcelain',
    '--encoding=UTF-8',
    '-L',
    `${what.first},+${what.count}`,
    ...(what.revision === undefined ? [] : [commitArgument(what.revision)]),
    ...only([what.path]),
  ];
}

/** The paths of a call as arguments. */
export function pathArguments(repository: Repository, paths: readonly string[]): string[] {
  return paths.map((path) => repository.pathOf(path)).filter((path) => path !== undefined);
}
