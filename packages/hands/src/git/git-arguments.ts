import type { Repository } from './repository.ts';
import { commitArgument } from './revision.ts';

/** Separates options from values, which must never be read as options. */
const END_OF_OPTIONS = '--end-of-options';

/** Diffs of submodules would start git in them, without our settings. */
const NO_SUBMODULES = ['--ignore-submodules=dirty', '--submodule=short'];
const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--no-color'];

/** How to show the changes of a commit or between two states. */
export interface DiffShape {
  readonly patch: boolean;
  /** Number of lines around each change. */
  readonly context: number;
  /** The repository's path in the workspace, so that a patch has paths that every tool accepts. */
  readonly location: string;
  /** The workspace as a folder of the repository, which paths are relative to; undefined if the repository is in the workspace. */
  readonly below: string | undefined;
  /** Whether to detect renames. This needs contents that a partial clone may lack. */
  readonly renames: boolean;
}

function only(paths: readonly string[]): string[] {
  return ['--', ...paths];
}

function patchPrefixes({ location, below }: DiffShape): string[] {
  const prefix = location === '.' || below !== undefined ? '' : `${location}/`;
  return [`--src-prefix=a/${prefix}`, `--dst-prefix=b/${prefix}`];
}

/** Restricts a diff to the workspace, with paths relative to it. */
function relativeTo({ below }: DiffShape): string[] {
  return below === undefined ? [] : [`--relative=${below}/`];
}

function changes(shape: DiffShape): string[] {
  const { patch, context, renames } = shape;
  return [
    ...relativeTo(shape),
    '-z',
    '--raw',
    '--numstat',
    ...(patch ? ['--patch', `--unified=${context}`, ...patchPrefixes(shape)] : []),
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

/** Returns the arguments for three-way patches, the only form for files with conflicts. */
export function conflictArguments(paths: readonly string[], shape: DiffShape): string[] {
  return [
    'diff',
    '--cc',
    ...relativeTo(shape),
    `--unified=${shape.context}`,
    ...patchPrefixes(shape),
    ...NO_PROGRAMS,
    ...NO_SUBMODULES,
    ...only(paths),
  ];
}

/** The fields of a commit, each terminated by NUL; `parse-log.ts` reads them in this order. */
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
    // An explicit HEAD without a commit is an unknown revision. Without it, git reports that there are no commits.
    ...(what.revision === undefined ? [] : [END_OF_OPTIONS, what.revision]),
    ...only(what.paths),
  ];
}

/** Returns the arguments to count the commits of a range, up to `most`. */
export function countArguments(what: { revision: string; paths: readonly string[]; most: number }): string[] {
  return ['rev-list', '--count', `--max-count=${what.most}`, END_OF_OPTIONS, what.revision, ...only(what.paths)];
}

/** Returns the arguments to list references by whole names, or by folders that end in a slash. They must not begin with `-`. */
export function listRefsArguments(names: readonly string[], most?: number): string[] {
  return ['for-each-ref', ...(most === undefined ? [] : [`--count=${most}`]), '--format=%(objectname) %(refname)', END_OF_OPTIONS, ...names];
}

/** Returns the arguments for the ID of the commit that a single revision means. */
export function commitIdArguments(revision: string): string[] {
  return ['rev-parse', '--verify', '--quiet', END_OF_OPTIONS, commitArgument(revision)];
}

/** Commits to count or list: those of one that another lacks, or that no reference in a folder has. */
export interface MissingCommits {
  readonly commit: string;
  readonly without: { readonly commit: string } | { readonly folder: string };
}

/** Between two commits by what they have in common: with dates that do not grow, git would take more for missing than is. */
function missing({ commit, without }: MissingCommits): string[] {
  return 'folder' in without ? [commit, '--not', `--glob=${without.folder}*`, '--'] : ['--left-only', `${commit}...${without.commit}`, '--'];
}

/** Returns the arguments to count commits that are missing elsewhere, up to `most`. */
export function countMissingArguments(what: MissingCommits, most: number): string[] {
  return ['rev-list', '--count', `--max-count=${most}`, ...missing(what)];
}

/** Returns the arguments for the beginnings of the subjects of the newest commits that are missing elsewhere. Commits may have subjects of any length. */
export function missingSubjectsArguments(what: MissingCommits, most: number): string[] {
  return ['log', '-z', '--format=tformat:%<(80,trunc)%s', '--no-show-signature', `--max-count=${most}`, ...missing(what)];
}

/** Returns the arguments to show a commit, also through a tag, with its changes. A merge is compared with its first parent. */
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

/** Returns the arguments for one path at a commit: mode, type, ID and size. A folder ID would hide the path that leads to the entry. */
export function treeEntryArguments(revision: string, path: string): string[] {
  return ['ls-tree', '-z', '-l', '--full-tree', END_OF_OPTIONS, commitArgument(revision), ...only([path])];
}

/** Returns the arguments to list a folder; `tree` is its object ID, or a commit for the top folder. */
export function treeArguments(tree: string): string[] {
  return ['ls-tree', '-z', '-l', '--full-tree', END_OF_OPTIONS, tree];
}

export function blobArguments(object: string): string[] {
  return ['cat-file', 'blob', object];
}

/** Returns the arguments of `git blame`. Version 2.39 has no end of options, so the revision must be parsed: it has no leading dash. */
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

/** Converts the paths of a call to arguments; without paths, everything that the workspace has of the repository. */
export function pathArguments(repository: Repository, paths: readonly string[] = []): string[] {
  if (paths.length === 0) return repository.below === undefined ? [] : [repository.below];
  return paths.map((path) => repository.pathOf(path)).filter((path) => path !== undefined);
}
