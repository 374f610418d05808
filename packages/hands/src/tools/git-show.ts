import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { ChangedFile, changedFiles, changeLines, changeNote, changeSummary, ChangeTotals } from '../git/change-list.ts';
import { completeInTime } from '../git/complete-in-time.ts';
import { pathArguments, showArguments } from '../git/git-arguments.ts';
import type { Repository } from '../git/repository.ts';
import { parseSingleRevision, splitRevisionPath } from '../git/revision.ts';
import { readShownChanges, withheldNote } from '../git/shown-changes.ts';
import { readAtRevision } from '../git/stored-file.ts';
import { size } from '../text/amounts.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { defineTool, type ToolOutput } from '../tool/tool.ts';
import * as fields from './fields.ts';
import { ChangesParser } from '../git/parse-changes.ts';
import { type Commit, commitOf } from '../git/parse-log.ts';
import { shortId } from '../git/short-id.ts';
import { RecordSplitter } from '../text/record-splitter.ts';

const FIELDS = 7;
const NEWLINE = 0x0a;

/** Parses `git show` of a commit as a stream: its fields, an empty record, then its changes. */
export class ShowParser {
  readonly changes: ChangesParser;
  readonly #fields: string[] = [];
  readonly #splitter = new RecordSplitter((record) => this.#fields.push(record.toString('utf8')));
  #atStart = true;

  constructor(onPatch?: (chunk: Buffer) => void, mayShow?: (path: Buffer) => boolean) {
    this.changes = new ChangesParser(onPatch, mayShow);
  }

  get commit(): Commit {
    return commitOf(this.#fields);
  }

  write(chunk: Buffer): void {
    // The fields, and the empty record that ends the format.
    const done = (): boolean => this.#fields.length > FIELDS;
    let rest = done() ? chunk : this.#splitter.write(chunk, done);
    if (rest.length === 0) return;
    // A newline separates the format from the changes.
    if (this.#atStart && rest[0] === NEWLINE) rest = rest.subarray(1);
    this.#atStart = false;
    if (rest.length > 0) this.changes.write(rest);
  }
}

const shownCommit = () =>
  z.strictObject({
    type: z.literal('commit'),
    repository: z.string(),
    sha: z.string(),
    parents: z.array(z.string()),
    author: z.string(),
    email: z.string(),
    date: z.string(),
    refs: z.array(z.string()),
    message: z.string(),
    files: z.array(ChangedFile),
    totals: ChangeTotals,
    patch: z.string(),
    complete: z.boolean(),
  });
const shownFile = () =>
  z.strictObject({
    type: z.enum(['file', 'link', 'folder']),
    repository: z.string(),
    path: z.string(),
    /** Size in bytes. */
    size: z.int(),
    content: z.string(),
  });
type Shown = z.infer<ReturnType<typeof shownCommit>> | z.infer<ReturnType<typeof shownFile>>;

async function showCommit(repository: Repository, revision: string, stat: boolean, ctx: ToolContext): Promise<ToolOutput<Shown>> {
  const collector = ctx.collectOutput();
  const reader = (): ShowParser =>
    new ShowParser(
      (chunk) => void collector.write(chunk),
      (name) => stat || ctx.workspace.mayRead(repository.displayChange(name)),
    );
  const parser = reader();
  const shape = { patch: !stat, context: 3, location: repository.location, below: repository.below, renames: !repository.isPartial };
  const argumentsFor = (paths: readonly string[] = pathArguments(repository)): string[] => showArguments(revision, shape, paths);
  const complete = await completeInTime(
    ctx.signal,
    readShownChanges(repository, { reader: parser, again: reader, arguments: argumentsFor, revision }),
  );
  const { text: patch, truncation } = collector.finish('head');
  const { commit, changes } = parser;
  const isCut = repository.shallowCommits.has(commit.sha);
  const files = isCut ? [] : changedFiles(repository, changes.files);
  const refs = commit.refs.length === 0 ? '' : ` (${commit.refs.join(', ')})`;
  const message = commit.message.replaceAll(/^/gmu, '    ');
  const head = `commit ${shortId(commit.sha)}${refs}\nAuthor: ${commit.author} <${commit.email}>\nDate:   ${commit.date || 'unknown'}\n\n${message}\n\n`;
  const totals = isCut ? { files: 0, added: 0, removed: 0 } : changes.totals;
  const notes = [
    isCut ? 'This is a shallow clone and its history ends here: what the commit changed is not known.' : changeNote(totals, complete),
    isCut ? undefined : withheldNote(changes),
  ];
  const shownPatch = isCut ? '' : patch;
  const { sha, author, email, date } = commit;
  return {
    sandbox: repository.sandbox,
    data: {
      type: 'commit',
      repository: repository.location,
      sha,
      parents: [...commit.parents],
      author,
      email,
      date,
      refs: [...commit.refs],
      message: commit.message,
      files,
      totals,
      patch: shownPatch,
      complete,
    },
    content: [{ type: 'text', text: head + changeLines(files) }, ...(shownPatch === '' ? [] : [{ type: 'text' as const, text: shownPatch }])],
    note: notes.filter((line) => line !== undefined).join(' '),
    ...(truncation === undefined || isCut ? {} : { truncation }),
  };
}

async function showFile(repository: Repository, revision: string, path: string, ctx: ToolContext): Promise<ToolOutput<Shown>> {
  const collector = ctx.collectOutput();
  const stored = await readAtRevision(repository, revision, path, (chunk) => void collector.write(chunk));
  const { text, truncation } = collector.finish('head');
  return {
    sandbox: repository.sandbox,
    data: { type: stored.type, repository: repository.location, path, size: stored.size, content: text },
    content: text,
    note: `${stored.type} ${path} at ${revision}${stored.type === 'file' ? `, ${size(stored.size)}` : ''}.`,
    ...(truncation === undefined ? {} : { truncation }),
  };
}

export const gitShow = defineTool({
  name: 'git_show',
  title: 'Git show',
  description: 'A commit with its message and patch; with "path", that file (or folder listing) as it was at the revision.',
  effects: 'read',
  idempotent: true,
  input: () =>
    z.strictObject({
      revision: fields.revision.default('HEAD'),
      path: fields.path.optional(),
      stat: z.boolean().default(false).describe('Only files and line counts, no patch'),
    }),
  output: () => z.discriminatedUnion('type', [shownCommit(), shownFile()]),
  aliases: { fields: { ...fields.pathAliases, ...fields.revisionAliases }, ignored: [...fields.remarks, 'repo_path', 'repo'] },
  otherNames: ['show', 'show_commit', 'get_commit'],
  permission: ({ revision, path }) => [{ action: 'read', resource: path ?? splitRevisionPath(revision).path ?? '.' }],
  timeoutMs: 30_000,
  verbatim: true,
  keep: 'head',
  summarize: ({ revision, path }, data) =>
    `git_show(${revision}${path === undefined ? '' : `, ${path}`}) → ${data.type === 'commit' ? changeSummary(data.totals) : size(data.size)}`,
  async execute({ revision, path, stat }, ctx) {
    const named = path === undefined ? splitRevisionPath(revision) : { revision, path };
    const single = parseSingleRevision(named.revision);
    using repository = await ctx.git.open(ctx.workspace, ctx.signal, named.path);
    // Awaited here, because the repository is closed when this function returns.
    if (named.path === undefined) return await showCommit(repository, single, stat, ctx);
    if (stat) throw new SynapseError('invalid_arguments', '"stat" is for a commit.', { hint: 'Leave out "path" or "stat".' });
    return await showFile(repository, single, named.path, ctx);
  },
});
