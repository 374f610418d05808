import type { ToolData, ToolInput } from '@synapse/hands';

/** Tools that answer questions about a project. */
export type Asked = 'list_directory' | 'find_files' | 'read_file' | 'search_text' | 'git_status' | 'git_log' | 'git_diff';

/** Maps a tool's paths between a folder and the whole workspace. */
interface Scope<Name extends Asked> {
  into(input: ToolInput<Name>, inFolder: (path: string) => string): ToolInput<Name>;
  out(data: ToolData<Name>, inFolder: (path: string) => string): ToolData<Name>;
  /** The file whose content a call returns, for the attribution. Default: none. */
  readonly fileRead?: (input: ToolInput<Name>) => string | undefined;
}

type Moved = { readonly path: string; readonly from?: string | undefined };
const moved = <File extends Moved>(file: File, short: (path: string) => string): File => ({
  ...file,
  path: short(file.path),
  ...(file.from === undefined ? {} : { from: short(file.from) }),
});

const SCOPES: { readonly [Name in Asked]: Scope<Name> } = {
  list_directory: {
    into: (input, full) => ({ ...input, path: full(input.path ?? '.') }),
    out: (data, short) => ({ ...data, path: short(data.path), entries: data.entries.map((entry) => ({ ...entry, path: short(entry.path) })) }),
  },
  find_files: {
    into: (input, full) => ({ ...input, path: full(input.path ?? '.') }),
    out: (data, short) => ({ ...data, files: data.files.map((file) => ({ ...file, path: short(file.path) })) }),
  },
  read_file: {
    into: ({ path, paths, ...rest }, full) => ({
      ...rest,
      ...(path === undefined ? {} : { path: full(path) }),
      ...(paths === undefined ? {} : { paths: paths.map(full) }),
    }),
    out: (data, short) => ({ ...data, path: short(data.path) }),
    fileRead: ({ path }) => path,
  },
  search_text: {
    into: (input, full) => ({ ...input, path: full(input.path ?? '.') }),
    out: (data, short) => ({
      ...data,
      matches: data.matches.map((match) => ({ ...match, path: short(match.path) })),
      files: data.files.map(short),
    }),
  },
  git_status: {
    into: (input, full) => ({ ...input, path: full(input.path ?? '.') }),
    out: (data, short) => ({
      ...data,
      staged: data.staged.map((file) => moved(file, short)),
      unstaged: data.unstaged.map((file) => moved(file, short)),
      untracked: data.untracked.map(short),
      conflicted: data.conflicted.map((file) => ({ ...file, path: short(file.path) })),
    }),
  },
  git_log: {
    into: (input, full) => ({ ...input, path: full(input.path ?? '.') }),
    out: (data, short) => ({
      ...data,
      commits: data.commits.map((commit) => ({ ...commit, files: commit.files.map((file) => moved(file, short)) })),
    }),
  },
  git_diff: {
    into: (input, full) => ({ ...input, path: full(input.path ?? '.') }),
    out: (data, short) => ({
      ...data,
      files: data.files.map((file) => moved(file, short)),
      patch: data.patch.replaceAll(/^((?:---|\+\+\+) [ab]\/)(.*)$/gmu, (_, mark: string, path: string) => `${mark}${short(path)}`),
    }),
  },
};

/** Git's own data is in the top folder of the workspace, not in the folder of the call. */
const isGitData = (path: string): boolean => path === '.git' || path.startsWith('.git/');

/** Returns the input of a call for a folder of the workspace. */
export function intoFolder<Name extends Asked>(tool: Name, input: ToolInput<Name>, folder: string): ToolInput<Name> {
  const scope: Scope<Name> = SCOPES[tool];
  return scope.into(input, (path) => (isGitData(path) ? path : path === '.' ? folder : `${folder}/${path}`));
}

/** Returns the data of such a call, with paths relative to the folder. */
export function outOfFolder<Name extends Asked>(tool: Name, data: ToolData<Name>, folder: string): ToolData<Name> {
  const scope: Scope<Name> = SCOPES[tool];
  return scope.out(data, (path) => (path === folder ? '.' : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path));
}

/** Returns the file whose content a call returned; undefined for other tools. */
export function fileReadBy<Name extends Asked>(tool: Name, input: ToolInput<Name>): string | undefined {
  const scope: Scope<Name> = SCOPES[tool];
  return scope.fileRead?.(input);
}
