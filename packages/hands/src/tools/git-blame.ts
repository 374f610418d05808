import { isSynapseError, SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { blameArguments } from '../git/git-arguments.ts';
import { RecordSplitter } from '../text/record-splitter.ts';
import { parseSingleRevision } from '../git/revision.ts';
import { shortId } from '../git/short-id.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';

/** A line and the commit that it comes from. */
interface BlamedLine {
  /** From 1. */
  readonly line: number;
  readonly sha: string;
  readonly author: string;
  /** ISO 8601, in UTC. */
  readonly date: string;
  readonly text: string;
  /** Whether the line is not committed yet. */
  readonly uncommitted: boolean;
}

interface Origin {
  author: string;
  date: string;
}

const HEADER = /^([0-9a-f]{40}(?:[0-9a-f]{24})?) \d+ (\d+)(?: \d+)?$/u;
const NO_COMMIT = /^0+$/u;

/**
 * Parses `git blame --porcelain`, line by line: a header with id and line number, facts about the commit
 * at its first line, and the text after a tab.
 */
export class BlameParser {
  readonly lines: BlamedLine[] = [];
  readonly #origins = new Map<string, Origin>();
  #sha = '';
  #line = 0;

  readonly take = (record: Buffer): void => {
    const text = record.toString('utf8');
    if (text.startsWith('\t')) {
      this.lines.push({ line: this.#line, sha: this.#sha, ...this.#origin(), text: text.slice(1), uncommitted: NO_COMMIT.test(this.#sha) });
      return;
    }
    const header = HEADER.exec(text);
    if (header !== null) {
      [, this.#sha = ''] = header;
      this.#line = Number(header[2]);
    } else if (text.startsWith('author ')) this.#origin().author = text.slice('author '.length);
    else if (text.startsWith('author-time ')) this.#origin().date = isoDate(Number(text.slice('author-time '.length)));
  };

  #origin(): Origin {
    const known = this.#origins.get(this.#sha);
    if (known !== undefined) return known;
    const origin = { author: '', date: '' };
    this.#origins.set(this.#sha, origin);
    return origin;
  }
}

/** Formats a time. A commit may contain any time, even one that no calendar has. */
function isoDate(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('.000Z', 'Z');
}

/** Maximum length of a line, in bytes. Lines of code are shorter; a minified file is one much longer line. */
const MAX_LINE_BYTES = 8 * 1024;
const NEWLINE = 0x0a;
const AUTHOR_CHARACTERS = 20;

/** Formats lines for a model: their commit, once for the lines that follow each other, then `line: text`. */
function blameText(lines: readonly BlamedLine[], characters: number): string {
  let last: string | undefined;
  return lines
    .map(({ uncommitted, sha, author, date, line, text }) => {
      const who = uncommitted ? 'not committed yet' : `${shortId(sha)} ${date.slice(0, 10)} ${author.slice(0, AUTHOR_CHARACTERS)}`;
      const head = who === last ? '' : `${who}\n`;
      last = who;
      return `${head}${line}: ${text.length > characters ? `${text.slice(0, characters)}…` : text}\n`;
    })
    .join('');
}

export const gitBlame = defineTool({
  name: 'git_blame',
  title: 'Git blame',
  description: 'For each line of a file, the commit, author and date that it comes from.',
  effects: 'read',
  idempotent: true,
  input: () =>
    z.strictObject({
      path: fields.path,
      revision: fields.revision.optional(),
      offset: z.int().min(1).max(100_000_000).default(1).describe('First line, from 1'),
      limit: z.int().min(1).max(2_000).default(200).describe('Lines'),
    }),
  output: () =>
    z.strictObject({
      repository: z.string(),
      lines: z.array(
        z.strictObject({ line: z.int(), sha: z.string(), author: z.string(), date: z.string(), text: z.string(), uncommitted: z.boolean() }),
      ),
      has_more: z.boolean(),
    }),
  aliases: {
    fields: { ...fields.pathAliases, ...fields.revisionAliases, ...fields.lineAliases },
    ignored: [...fields.remarks, 'repo_path', 'repo'],
    meant: fields.linesMeant,
  },
  otherNames: ['blame', 'annotate'],
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 30_000,
  keep: 'head',
  summarize: ({ path }, { lines }) => `git_blame(${path}) → ${count(lines.length, 'line')}`,
  async execute({ path, revision, offset, limit }, { workspace, git, signal, limits }) {
    const wanted = revision === undefined ? undefined : parseSingleRevision(revision);
    using repository = await git.open(workspace, signal, path);
    if (repository.path === undefined) throw new SynapseError('wrong_type', `${path} is a folder.`, { hint: 'Name a file.' });
    const parser = new BlameParser();
    const splitter = new RecordSplitter(parser.take, { separator: NEWLINE, maxBytes: MAX_LINE_BYTES });
    await repository
      .run({
        // One line more than is shown tells whether there are more.
        arguments: blameArguments({ revision: wanted, path: repository.path, first: offset, count: limit + 1 }),
        onOutput: (chunk) => void splitter.write(chunk),
        revision: wanted ?? 'HEAD',
        path,
      })
      .catch((error: unknown) => {
        // An empty file has no first line. That is a valid answer.
        if (offset !== 1 || !isSynapseError(error) || error.details?.['lines'] !== 0) throw error;
      });
    splitter.end();
    const lines = parser.lines.slice(0, limit).map((line) => ({ ...line, sha: shortId(line.sha) }));
    if (lines.some(({ text }) => text.includes('\0'))) throw new SynapseError('binary_file', `${path} is a binary file.`);
    const hasMore = parser.lines.length > limit;
    const last = lines.at(-1)?.line ?? offset;
    return {
      sandbox: repository.sandbox,
      data: { repository: repository.location, lines, has_more: hasMore },
      content: blameText(lines, limits.lineCharacters),
      note:
        lines.length === 0 ? 'The file is empty.' : `Lines ${offset} to ${last}${hasMore ? `; more with "offset": ${last + 1}` : ', the last one'}.`,
    };
  },
});
