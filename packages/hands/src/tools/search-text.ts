import { count } from '../text/amounts.ts';
import type { TextFindings, TextRequest } from '../search/text-search.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { defineTool } from '../tool/tool.ts';
import { otherEncodings } from '../search/other-encodings.ts';
import { searchAsMeant } from '../search/search.ts';
import { CASES } from '../search/ripgrep-arguments.ts';
import { searchNotes } from './search-notes.ts';
import { isSynapseError, SynapseError, type Truncation } from '@synapse/protocol';
import * as z from 'zod';
import * as fields from './fields.ts';
import type { Line as FoundLine, VerifiedMatch } from '../search/verified-match.ts';

interface ShownLine extends FoundLine {
  readonly isMatch: boolean;
}

/** Returns the lines of one file in order, each once: a match may also be context of another match. */
function linesOf(matches: readonly VerifiedMatch[]): ShownLine[] {
  const lines = new Map<number, ShownLine>();
  for (const { before, after } of matches) for (const near of [...before, ...after]) lines.set(near.line, { ...near, isMatch: false });
  for (const { line, text } of matches) lines.set(line, { line, text, isMatch: true });
  return [...lines.values()].toSorted((a, b) => a.line - b.line);
}

function formatFile(matches: readonly VerifiedMatch[]): string {
  const hasContext = matches.some(({ before, after }) => before.length + after.length > 0);
  let last: number | undefined;
  const shown: string[] = [];
  for (const { line, text, isMatch } of linesOf(matches)) {
    if (hasContext && last !== undefined && line > last + 1) shown.push('--');
    shown.push(`${line}${isMatch ? ':' : '-'} ${text}`);
    last = line;
  }
  return shown.join('\n');
}

/** Formats matches for a model: the path of each file, unless the call named it, then `line: text`; context lines have a `-`. */
function formatMatches(matches: readonly VerifiedMatch[], isNamed: boolean): string {
  const files = Map.groupBy(matches, ({ path }) => path);
  return Array.from(files, ([path, own]) => `${isNamed ? '' : `${path}\n`}${formatFile(own)}`).join('\n\n');
}

/** Formats how many lines of each file match. */
function formatCounts(matches: readonly VerifiedMatch[]): string {
  return Array.from(
    Map.groupBy(matches, ({ path }) => path),
    ([path, own]) => `${path}:${own.length}`,
  ).join('\n');
}

const MAX_MATCHES = 2_000;

const lineSchema = () => z.strictObject({ line: z.int(), text: z.string() });
const matchSchema = () =>
  z.strictObject({
    path: z.string(),
    line: z.int(),
    /** Start of the match in bytes of the line, from 1. */
    column: z.int(),
    /** The line; for a long line, the part around the match. */
    text: z.string(),
    before: z.array(lineSchema()).optional(),
    after: z.array(lineSchema()).optional(),
  });

const NEXT = {
  limit: 'More match: narrow the pattern, the path or the glob, or raise "limit".',
  time: 'The time was up before everything was searched: narrow the path or the glob.',
} as const;

const truncationBy = (reason: keyof typeof NEXT | undefined, entries: number): Truncation | undefined =>
  reason && { by: reason === 'limit' ? 'matches' : 'time', shown: { entries }, total: {}, next: NEXT[reason] };

interface Searched {
  readonly findings: TextFindings;
  /** How the pattern was understood, if not as it is written. */
  readonly reading?: string;
}

type SearchPowers = Pick<ToolContext, 'search' | 'workspace' | 'signal'>;

const isInvalidPattern = (error: unknown): boolean => isSynapseError(error) && error.details?.['pattern'] === 'invalid';

/** Finds what a request matches. Returns undefined if that is nothing, or if the pattern is not valid. */
async function found(request: TextRequest, { search, workspace, signal }: SearchPowers): Promise<TextFindings | undefined> {
  try {
    const findings = await search.text(request, workspace, signal);
    return findings.matches.length > 0 ? findings : undefined;
  } catch (error) {
    if (isInvalidPattern(error)) return undefined;
    throw error;
  }
}

/**
 * Searches. A pattern that is not a valid regular expression, such as `interface{`, is searched as plain text if that matches, and one that
 * matches nothing and separates alternatives as grep does, `a\|b`, is read so.
 */
async function searchMeant(request: TextRequest, powers: SearchPowers): Promise<Searched> {
  try {
    const findings = await powers.search.text(request, powers.workspace, powers.signal);
    if (request.literal || findings.matches.length > 0 || findings.stoppedBy !== undefined) return { findings };
    const pattern = request.pattern.replaceAll(/\\(.)/gu, (escape, character) => (character === '|' ? '|' : escape));
    const other = pattern === request.pattern ? undefined : await found({ ...request, pattern }, powers);
    return other === undefined ? { findings } : { findings: other, reading: `The pattern was read as ${pattern}.` };
  } catch (error) {
    if (!isInvalidPattern(error)) throw error;
    const findings = await found({ ...request, literal: true }, powers);
    if (findings === undefined) throw error;
    return { findings, reading: 'The pattern is no regular expression, so it was searched as plain text.' };
  }
}

/** Reads a flag that may be in quotes. */
const flag = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);

/** What other tools call the forms of their output, and the flag for it here. */
const OUTPUT_MODES: Readonly<Record<string, 'files_only' | 'counts'>> = {
  files_with_matches: 'files_only',
  files: 'files_only',
  files_only: 'files_only',
  names: 'files_only',
  paths: 'files_only',
  count: 'counts',
  counts: 'counts',
};

function outputMeant(mode: unknown, rest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (mode === undefined || mode === null) return {};
  const flagName = typeof mode === 'string' && Object.hasOwn(OUTPUT_MODES, mode) ? OUTPUT_MODES[mode] : undefined;
  // An unknown mode is refused by its own name.
  return flagName === undefined || rest[flagName] !== undefined ? { output_mode: mode } : { [flagName]: true };
}

/** Translates the arguments of other tools for case and output. */
function searchMeantBy(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { ignore_case: ignore, '-i': insensitive = ignore, case_sensitive: sensitive, is_regex: regex, output_mode: mode, ...rest } = given;
  const isPlain = (value: unknown): boolean => value === undefined || value === null || typeof flag(value) === 'boolean';
  if (!isPlain(insensitive) || !isPlain(sensitive)) return given;
  const ignores = flag(insensitive) === true || flag(sensitive) === false;
  return {
    ...rest,
    ...(flag(regex) === false && rest['literal'] === undefined ? { literal: true } : {}),
    ...(ignores && rest['case'] === undefined ? { case: 'insensitive' } : {}),
    ...outputMeant(mode, rest),
  };
}

const BY_STRUCTURE = 'code with action "match" finds code by its structure: text is the pattern, with $X for a part';

type Form = Readonly<{ filesOnly: boolean; counts: boolean; perFile: number | undefined }>;

/** What is searched for an answer in a form. */
function requestBy<Rest extends Readonly<{ context: number; limit: number }>>(input: Rest, { filesOnly, counts, perFile }: Form) {
  const context = filesOnly || counts ? 0 : input.context;
  return { ...input, perFile: filesOnly ? 1 : perFile, context, limit: counts ? MAX_MATCHES : input.limit };
}

export const searchText = defineTool({
  name: 'search_text',
  title: 'Search in files',
  description: 'Find lines in files by regular expression (Rust syntax, line by line). Honors .gitignore; skips binary files.',
  effects: 'read',
  idempotent: true,
  input: () =>
    z.strictObject({
      pattern: z.string().min(1).max(10_000),
      path: z.string().default('.').describe('Folder, file or spill handle'),
      glob: fields.globs.optional(),
      literal: z.boolean().default(false).describe('Pattern is plain text'),
      case: z.enum(CASES).default('sensitive'),
      context: z.int().min(0).max(10).default(0).describe('Lines around each match'),
      files_only: z.boolean().default(false),
      counts: z.boolean().default(false).describe('Only how many lines of each file match'),
      hidden: fields.hidden,
      ignore: fields.ignore,
      per_file: z.int().min(1).max(MAX_MATCHES).optional().describe('Most matches of one file'),
      limit: z.int().min(1).max(MAX_MATCHES).default(100),
    }),
  output: () =>
    z.strictObject({
      /** Empty if only files or counts were requested. */
      matches: z.array(matchSchema()),
      /** Paths of the matching files. */
      files: z.array(z.string()),
      truncated: z.enum(['limit', 'time']).optional(),
      timed_out: z.boolean(),
      /** Results left out because their files changed during the search. */
      changed: z.int(),
    }),
  aliases: {
    fields: {
      ...fields.folderAliases,
      ...fields.limitAliases,
      query: 'pattern',
      regex: 'pattern',
      search: 'pattern',
      search_term: 'pattern',
      text: 'pattern',
      keyword: 'pattern',
      include: 'glob',
      include_pattern: 'glob',
      file_pattern: 'glob',
      glob_pattern: 'glob',
      globs: 'glob',
      ...fields.ignoreAliases,
      fixed_strings: 'literal',
      names_only: 'files_only',
      files_with_matches: 'files_only',
      count_only: 'counts',
      count_matches: 'counts',
      '-c': 'counts',
      '-l': 'files_only',
      context_lines: 'context',
      '-C': 'context',
      '-A': 'context',
      '-B': 'context',
      max_matches_per_file: 'per_file',
      include_hidden: 'hidden',
    },
    ignored: [
      ...fields.remarks,
      ...fields.lineNumberRemarks,
      ['recursive', true],
      '-n',
      '-r',
      'multiline',
      ['output_mode', 'content', 'lines', 'matches'],
    ],
    advice: {
      structure: BY_STRUCTURE,
      structural: BY_STRUCTURE,
      ast: BY_STRUCTURE,
      ast_grep: BY_STRUCTURE,
      exclude: 'give a glob that begins with !',
      exclude_pattern: 'give a glob that begins with !',
      type: 'give a glob such as *.ts',
      offset: 'narrow the search, or raise limit',
      recursive: 'a glob such as ./*.ts searches only what is in the folder itself',
      output_mode: 'give files_only or counts',
    },
    meant: searchMeantBy,
  },
  otherNames: [
    'grep',
    'rg',
    'ripgrep',
    'search',
    'grep_search',
    'grep_files',
    'search_file_content',
    'search_code',
    'search_codebase',
    'codebase_search',
    'semantic_search',
    'find_in_files',
    'search_for_pattern',
    'start_search',
  ],
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 20_000,
  keep: 'head',
  summarize: ({ pattern }, { matches, files }) =>
    `search_text(${JSON.stringify(pattern.slice(0, 40))}) → ${matches.length === 0 ? '' : `${count(matches.length, 'match', 'matches')} in `}${count(files.length, 'file')}`,
  async execute({ glob, per_file, files_only, counts, ...input }, { search, workspace, signal }) {
    if (/[\r\n]/u.test(input.pattern)) {
      throw new SynapseError('invalid_arguments', 'pattern: holds a line break, and a search goes line by line.', {
        hint: 'Search for text within one line, and pass "context" to see the lines around it.',
      });
    }
    const globs = (glob ?? []).map((one) => workspace.relativeGlob(one, input.path));
    const listsOnly = files_only || counts;
    const request = requestBy({ ...input, globs }, { filesOnly: files_only, counts, perFile: per_file });
    const ctx = { search, workspace, signal };
    const {
      found: { findings, reading },
      note,
      noFiles,
    } = await searchAsMeant(
      globs,
      input,
      ctx,
      (meant) => searchMeant({ ...request, globs: meant }, ctx),
      ({ findings: { matches, inFolder } }) => inFolder && matches.length === 0,
    );
    const { matches, stoppedBy, changed, sandbox } = findings;
    const files = [...new Set(matches.map(({ path }) => path))];
    const shown = listsOnly ? [] : matches;
    const isNamed = !listsOnly && files.length === 1 && files[0] === input.path;
    const others = noFiles ? undefined : await otherEncodings(request, findings, ctx);
    const end = { findings, globs, files: files.length, isNamed, noFiles, note, reading, others };
    const notes = searchNotes({ ...input, files_only, counts, per_file }, end);
    const truncation = truncationBy(stoppedBy, matches.length);
    return {
      data: {
        matches: shown.map(({ before, after, ...match }) => ({
          ...match,
          ...(input.context === 0 ? {} : { before: [...before], after: [...after] }),
        })),
        files,
        ...(stoppedBy === undefined ? {} : { truncated: stoppedBy }),
        timed_out: stoppedBy === 'time',
        changed,
      },
      content: counts ? formatCounts(matches) : files_only ? files.join('\n') : formatMatches(shown, isNamed),
      ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
      ...(truncation === undefined ? {} : { truncation }),
      ...(sandbox === undefined ? {} : { sandbox }),
    };
  },
});
