import * as z from 'zod';
import type { DelegatedCall } from '../tool/tool.ts';

/** Shared arguments: a name means the same in every tool, and has the same description for models. */
export const path = z.string().describe('Path relative to the workspace');
export const version = z.string().describe('Version from read_file; refused if the file differs since');
export const hidden = z.boolean().default(false).describe('Include names that begin with a dot');
export const ignore = z.boolean().default(true).describe('Skip what .gitignore names');
export const globs = z
  .union([z.string().min(1), z.array(z.string().min(1)).nonempty()])
  .transform((glob) => (typeof glob === 'string' ? [glob] : glob))
  .describe('Such as **/*.{ts,tsx}; !glob excludes');
export const revision = z.string().describe('Branch, tag, commit id, or an expression such as HEAD~2');

export const then = z
  .string()
  .refine((command) => command.trim() !== '', 'must not be empty')
  .optional()
  .describe('Command to run after it, as by run_command');
/** What came of the command in {@link then}. */
export const followed = () =>
  z
    .strictObject({ ok: z.boolean(), data: z.unknown().optional(), error: z.strictObject({ code: z.string(), message: z.string() }).optional() })
    .optional();

/** The call for the command in {@link then}. */
export const commandCall = (command: string): DelegatedCall => ({ tool: 'run_command', input: { command } });

/** Aliases of {@link path}. Spellings such as `filePath` count as the same name. */
export const pathAliases = {
  file_path: 'path',
  file: 'path',
  filename: 'path',
  file_name: 'path',
  absolute_path: 'path',
  relative_path: 'path',
  target_file: 'path',
  source_file: 'path',
  filepath: 'path',
} as const;

/** Aliases of {@link path} for a folder. */
export const folderAliases = {
  ...pathAliases,
  directory: 'path',
  directory_path: 'path',
  dir: 'path',
  dir_path: 'path',
  dirname: 'path',
  folder: 'path',
  folder_path: 'path',
  target_directory: 'path',
  root: 'path',
} as const;

/** Aliases of a number of results. */
export const limitAliases = {
  max_results: 'limit',
  max_count: 'limit',
  max_matches: 'limit',
  head_limit: 'limit',
  count: 'limit',
  n: 'limit',
  num_results: 'limit',
  max: 'limit',
} as const;

/** Aliases of {@link revision}. */
export const revisionAliases = {
  commit: 'revision',
  commit_hash: 'revision',
  commit_id: 'revision',
  hash: 'revision',
  sha: 'revision',
  ref: 'revision',
  rev: 'revision',
  branch: 'revision',
  target: 'revision',
} as const;

/** Arguments in which models comment on a call or say how their client should treat it. Every tool can do without them. */
export const remarks = [
  'description',
  'explanation',
  'thought',
  'thoughts',
  'thinking',
  'reason',
  'reasoning',
  'rationale',
  'justification',
  'purpose',
  'intent',
  'goal',
  'title',
  'summary',
  'comment',
  'note',
  'instruction',
  'instructions',
  'task_progress',
  'tool_action',
  'tool_summary',
  'tool_call_description',
  'wait_for_previous_tools',
  'safe_to_auto_run',
  'requires_approval',
  'require_user_approval',
] as const;

/** Arguments about line numbers, which answers have anyway or which a position in a file does not need. */
export const lineNumberRemarks = ['line_numbers', 'show_line_numbers', 'include_line_numbers', 'with_line_numbers'] as const;

/** Aliases of {@link ignore}. */
export const ignoreAliases = {
  respect_git_ignore: 'ignore',
  respect_gitignore: 'ignore',
  use_gitignore: 'ignore',
  gitignore: 'ignore',
} as const;

/** Aliases of the arguments of {@link linesMeant}, in any spelling. */
export const lineAliases = {
  start_line: 'start_line',
  end_line: 'end_line',
  line_start: 'start_line',
  line_end: 'end_line',
  first_line: 'start_line',
  last_line: 'end_line',
  start_line_one_indexed: 'start_line',
  end_line_one_indexed: 'end_line',
  end_line_one_indexed_inclusive: 'end_line',
  view_range: 'view_range',
  line_range: 'view_range',
  range: 'view_range',
} as const;

/** A line range as text: `2-5`. */
const PAIR = /^\s*(\d+)\s*[-:,–]\s*(-?\d+)\s*$/u;

/** The lines of a pair, also as text. */
function pairOf(pair: unknown): readonly unknown[] {
  if (Array.isArray(pair)) return pair;
  return (typeof pair === 'string' ? PAIR.exec(pair)?.slice(1) : undefined) ?? [];
}

/** Translates line ranges, as a pair or as two arguments, into `offset` and `limit`. */
export function linesMeant(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { view_range: pair, start_line: start, end_line: end, ...rest } = fields;
  const [from = start, to = end] = pairOf(pair);
  const [first, last] = [Number(from ?? 1), Number(to ?? Number.NaN)];
  const isGiven = (from !== undefined || to !== undefined) && rest['offset'] === undefined && rest['limit'] === undefined;
  if (!isGiven || !Number.isSafeInteger(first) || first < 1) return fields;
  // To the end, which others write as -1.
  return { ...rest, offset: first, ...(Number.isSafeInteger(last) && last >= first ? { limit: last - first + 1 } : {}) };
}
