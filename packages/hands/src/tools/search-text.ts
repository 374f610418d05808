import { count } from '../text/amounts.ts';
import type { TextFindings, TextRequest } from '../search/text-search.ts';
import type { ToolContext } from '../tool-context.ts';
import { defineTool } from '../tool.ts';
import { formatMatches } from '../search/format-matches.ts';
import { CASES } from '../search/ripgrep-arguments.ts';
import { isSynapseError, SynapseError, type Truncation } from '@synapse/protocol';
import * as z from 'zod';
import * as fields from './fields.ts';

const Line = z.strictObject({ line: z.int(), text: z.string() });
const Match = z.strictObject({
  path: z.string(),
  line: z.int(),
  /** Where the match begins, in bytes of the line; the first is 1. */
  column: z.int(),
  /** The line, or where it is long the part around the match. */
  text: z.string(),
  before: z.array(Line).optional(),
  after: z.array(Line).optional(),
});

const NEXT = {
  limit: 'More match: narrow the pattern, the path or the glob, or raise "limit".',
  time: 'The time was up before everything was searched: narrow the path or the glob.',
} as const;

/** Searches; a pattern that is no regular expression, such as `interface{`, is taken as plain text where that is found. */
async function searchMeant(
  request: TextRequest,
  { search, workspace, signal }: Pick<ToolContext, 'search' | 'workspace' | 'signal'>,
): Promise<{ findings: TextFindings; literally: boolean }> {
  try {
    return { findings: await search.text(request, workspace, signal), literally: false };
  } catch (error) {
    if (!isSynapseError(error) || error.details?.['pattern'] !== 'invalid') throw error;
    const findings = await search.text({ ...request, literal: true }, workspace, signal);
    if (findings.matches.length === 0) throw error;
    return { findings, literally: true };
  }
}

export const searchText = defineTool({
  name: 'search_text',
  title: 'Search in files',
  description: 'Find lines in files by regular expression (Rust syntax, line by line). Honours .gitignore; skips binary files.',
  effects: 'read',
  idempotent: true,
  input: z.strictObject({
    pattern: z.string().min(1).max(10_000),
    path: z.string().default('.').describe('Folder, file or spill handle'),
    glob: fields.globs.optional(),
    literal: z.boolean().default(false).describe('Pattern is plain text'),
    case: z.enum(CASES).default('sensitive'),
    context: z.int().min(0).max(10).default(0).describe('Lines around each match'),
    files_only: z.boolean().default(false),
    hidden: fields.hidden,
    ignore: fields.ignore,
    per_file: z.int().min(1).max(2_000).optional().describe('Most matches of one file'),
    limit: z.int().min(1).max(2_000).default(100),
  }),
  output: z.strictObject({
    /** Empty where only files were asked for. */
    matches: z.array(Match),
    /** Paths of the files that match. */
    files: z.array(z.string()),
    truncated: z.enum(['limit', 'time']).optional(),
    timed_out: z.boolean(),
    /** Results left out because their files changed during the search. */
    changed: z.int(),
  }),
  aliases: { fields: { ...fields.pathAliases, query: 'pattern', regex: 'pattern', include: 'glob' } },
  otherNames: ['grep', 'rg', 'ripgrep', 'search', 'grep_search', 'search_file_content'],
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 20_000,
  keep: 'head',
  summarize: ({ pattern }, { matches, files }) =>
    `search_text(${JSON.stringify(pattern.slice(0, 40))}) → ${matches.length === 0 ? '' : `${count(matches.length, 'match', 'matches')} in `}${count(files.length, 'file')}`,
  async execute({ glob, per_file, files_only, ...input }, { search, workspace, signal }) {
    if (/[\r\n]/u.test(input.pattern)) {
      throw new SynapseError('invalid_arguments', 'pattern: holds a line break, and a search goes line by line.', {
        hint: 'Search for what stands in one line, and pass "context" to see the lines around it.',
      });
    }
    const globs = (glob ?? []).map((one) => workspace.relativeGlob(one, input.path));
    const request = { ...input, globs, perFile: files_only ? 1 : per_file, context: files_only ? 0 : input.context };
    const { findings, literally } = await searchMeant(request, { search, workspace, signal });
    const { matches, stoppedBy, changed, tooLong, inFolder, unreadable, sandbox } = findings;
    const files = [...new Set(matches.map(({ path }) => path))];
    const shown = files_only ? [] : matches;
    const found = files_only ? count(files.length, 'file') : `${count(shown.length, 'match', 'matches')} in ${count(files.length, 'file')}`;
    // Whether files are withheld that match must not show: it is said of every search alike.
    const left = [...(input.hidden ? [] : ['hidden']), ...(input.ignore ? ['ignored'] : []), 'withheld'].join(', ').replace(/, (?=\w+$)/u, ' and ');
    const notes = [
      files.length > 0 ? `${found}.` : `No matches${inFolder ? `; ${left} files were not searched` : ''}.`,
      ...(!files_only && per_file !== undefined ? [`At most ${per_file} per file.`] : []),
      ...(tooLong === 0 ? [] : [`${count(tooLong, 'matching line')} too long to be read ${tooLong === 1 ? 'is' : 'are'} left out.`]),
      ...(changed === 0 ? [] : [`${count(changed, 'result')} changed during the search and ${changed === 1 ? 'is' : 'are'} left out.`]),
      ...(unreadable ? ['Some files could not be read.'] : []),
      ...(literally ? ['The pattern is no regular expression, so it was searched as plain text.'] : []),
    ];
    const truncation: Truncation | undefined =
      stoppedBy === undefined
        ? undefined
        : { by: stoppedBy === 'limit' ? 'matches' : 'time', shown: { entries: matches.length }, total: {}, next: NEXT[stoppedBy] };
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
      content: files_only ? files.join('\n') : formatMatches(shown),
      note: notes.join(' '),
      ...(truncation === undefined ? {} : { truncation }),
      ...(sandbox === undefined ? {} : { sandbox }),
    };
  },
});
