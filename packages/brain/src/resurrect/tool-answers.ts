import * as z from 'zod';

/**
 * A call to make, and the part of its answer that is used. The answers are parsed here, and nowhere
 * else: a tool that renames a field fails in one clear way.
 */
export interface Question<Schema extends z.ZodType = z.ZodType> {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly answer: Schema;
}

const ListedEntry = z.object({
  path: z.string(),
  name: z.string(),
  type: z.enum(['file', 'directory', 'link', 'other']),
  /** Milliseconds since 1970. */
  modified: z.number(),
});
/** Tools say that they left something out by a flag, or by the reason. */
const Truncated = z
  .union([z.boolean(), z.string()])
  .nullish()
  .transform((value) => value !== undefined && value !== null && value !== false);

const ListDirectoryAnswer = z.object({ entries: z.array(ListedEntry), truncated: Truncated });

const ReadFileAnswer = z.object({
  content: z.string(),
  /** 1-based; 0 where the file is empty; negative, from the end, where a file is too long to be counted. */
  first_line: z.number(),
  total_lines: z.number().nullish(),
});

const FoundFile = z.object({ path: z.string(), modified: z.number() });
const FindFilesAnswer = z.object({ files: z.array(FoundFile), total: z.number().optional(), truncated: Truncated });

const SearchTextAnswer = z.object({
  matches: z.array(z.object({ path: z.string(), line: z.number(), text: z.string() })),
});

/** A path, alone or with what happened to it. A folder ends with a slash. */
const ChangedPath = z.union([z.string(), z.object({ path: z.string() }).transform(({ path }) => path)]);
const Count = z.number().nullish();
const GitStatusAnswer = z.object({
  branch: z.string().nullish(),
  detached: z.boolean(),
  head: z.string().nullish(),
  upstream: z.string().nullish(),
  ahead: Count,
  behind: Count,
  staged: z.array(ChangedPath),
  unstaged: z.array(ChangedPath),
  untracked: z.array(ChangedPath),
  conflicted: z.array(ChangedPath),
  has_remote: z.boolean(),
  operation: z.string().nullish(),
  stashes: Count,
  /** Whole numbers of entries: of many changes only the first are in the lists. */
  counts: z.object({ staged: z.number(), unstaged: z.number(), untracked: z.number(), conflicted: z.number() }),
});

const Commit = z.object({ sha: z.string(), author: z.string(), date: z.string(), message: z.string(), files: z.array(ChangedPath) });
const GitLogAnswer = z.object({ commits: z.array(Commit), has_more: z.boolean(), is_shallow: z.boolean() });

const GitDiffAnswer = z.object({ totals: z.object({ added: z.number(), removed: z.number() }) });

export type ListedEntry = z.output<typeof ListedEntry>;
export type FoundFile = z.output<typeof FoundFile>;
export type GitStatusAnswer = z.output<typeof GitStatusAnswer>;
export type Commit = z.output<typeof Commit>;
export type GitLogAnswer = z.output<typeof GitLogAnswer>;
export type ReadFileAnswer = z.output<typeof ReadFileAnswer>;

export const listDirectory = (input: { path: string; depth: number; hidden: boolean }): Question<typeof ListDirectoryAnswer> => ({
  tool: 'list_directory',
  input,
  answer: ListDirectoryAnswer,
});

/** A negative offset counts from the end of the file. */
export const readFile = (input: { path: string; offset?: number; limit?: number }): Question<typeof ReadFileAnswer> => ({
  tool: 'read_file',
  input,
  answer: ReadFileAnswer,
});

export const findFiles = (input: { glob: string | readonly string[]; hidden: boolean; limit?: number }): Question<typeof FindFilesAnswer> => ({
  tool: 'find_files',
  input,
  answer: FindFilesAnswer,
});

export const searchText = (input: { pattern: string; path: string; limit: number }): Question<typeof SearchTextAnswer> => ({
  tool: 'search_text',
  input,
  answer: SearchTextAnswer,
});

export const gitStatus = (): Question<typeof GitStatusAnswer> => ({ tool: 'git_status', input: {}, answer: GitStatusAnswer });

export const gitLog = (input: { limit: number; offset?: number; revision?: string; files?: boolean }): Question<typeof GitLogAnswer> => ({
  tool: 'git_log',
  input,
  answer: GitLogAnswer,
});

export const gitDiffStat = (input: { staged: boolean }): Question<typeof GitDiffAnswer> => ({
  tool: 'git_diff',
  input: { ...input, stat: true },
  answer: GitDiffAnswer,
});
