import { isSynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { ChangeKind, letterOf, movedPath } from '../git/change-list.ts';
import { completeInTime } from '../git/complete-in-time.ts';
import { countArguments, logArguments } from '../git/git-arguments.ts';
import { NO_COMMITS } from '../git/git-error.ts';
import { LogParser, type Commit } from '../git/parse-log.ts';
import { RecordSplitter } from '../text/record-splitter.ts';
import type { Repository } from '../git/repository.ts';
import { isRange, parseHistory } from '../git/revision.ts';
import { shortId } from '../git/short-id.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { assertPath } from './assert-path.ts';
import * as fields from './fields.ts';

const loggedCommit = () =>
  z.strictObject({
    sha: z.string(),
    author: z.string(),
    email: z.string(),
    date: z.string(),
    refs: z.array(z.string()),
    message: z.string(),
    /** Empty unless requested. For a merge: the changes that it brought in. */
    files: z.array(z.strictObject({ path: z.string(), from: z.string().optional(), status: ChangeKind })),
    /** Whether the history is cut below this commit. Its files are then unknown. */
    shallow: z.boolean(),
  });
type LoggedCommit = z.infer<ReturnType<typeof loggedCommit>>;

function logged(repository: Repository, commit: Commit, shallow: boolean): LoggedCommit {
  const { sha, author, email, date, refs, message } = commit;
  // If the parent is missing, git shows every file as added, which says nothing about the commit.
  const files = shallow ? [] : commit.files;
  return {
    sha,
    author,
    email,
    date,
    refs: [...refs],
    message,
    shallow,
    files: files.map(({ path, from, status }) => ({
      path: repository.display(path),
      ...(from === undefined ? {} : { from: repository.display(from) }),
      status,
    })),
  };
}

/** Length of `2026-11-22`, in characters. */
const DAY = 10;

/** @param bodies whether to show more than the subject: bodies take two thirds of the tokens of a log */
function commitText({ sha, author, date, refs, message, files }: LoggedCommit, fileCount: number, bodies: boolean): string {
  const [subject = '', ...body] = message.split('\n');
  const names = refs.length === 0 ? '' : ` (${refs.join(', ')})`;
  const more = fileCount > files.length && files.length > 0 ? `  … ${fileCount - files.length} more files\n` : '';
  const when = bodies ? date : date.slice(0, DAY);
  return [
    `${[shortId(sha), when, author].filter((word) => word !== '').join(' ')}${names}: ${subject}\n`,
    ...(bodies ? body.filter((line) => line.trim() !== '').map((line) => `  ${line}\n`) : []),
    ...files.map((file) => `  ${letterOf(file.status)} ${movedPath(file)}\n`),
    more,
  ].join('');
}

const inputSchema = () =>
  z.strictObject({
    path: fields.path.optional(),
    revision: z.string().optional().describe('Where to start, or a range A..B'),
    files: z.boolean().default(false).describe('Tell the files of each commit'),
    bodies: z.boolean().default(false).describe('Tell whole messages, not only subjects'),
    offset: z.int().min(0).max(10_000_000).default(0).describe('Commits to skip'),
    limit: z.int().min(1).max(50).default(20),
  });
type Input = z.infer<ReturnType<typeof inputSchema>>;

export const gitLog = defineTool({
  name: 'git_log',
  title: 'Git log',
  description: 'Commits by their subjects, newest first, perhaps of one path or range.',
  effects: 'read',
  idempotent: true,
  input: inputSchema,
  output: () =>
    z.strictObject({
      repository: z.string(),
      commits: z.array(loggedCommit()),
      has_more: z.boolean(),
      /** Number of commits of a range, if not all are listed. Absent if it is very large. */
      total: z.int().optional(),
      is_shallow: z.boolean(),
      complete: z.boolean(),
    }),
  aliases: {
    fields: { ...fields.pathAliases, ...fields.limitAliases, ...fields.revisionAliases, skip: 'offset', show_files: 'files', full: 'bodies' },
    ignored: [...fields.remarks, 'oneline', 'repo_path', 'repo'],
    advice: { author: 'use run_command: git log --author=…', grep: 'use run_command: git log --grep=…', since: 'use run_command: git log --since=…' },
  },
  otherNames: ['log', 'git_history', 'history', 'list_commits'],
  permission: ({ path }) => [{ action: 'read', resource: path ?? '.' }],
  timeoutMs: 30_000,
  keep: 'head',
  summarize: ({ path, revision }, { commits }) =>
    `git_log(${[revision, path].filter((part) => part !== undefined).join(', ')}) → ${count(commits.length, 'commit')}`,
  execute: (input, context) =>
    context.git.remembered({ workspace: context.workspace, path: input.path, question: ['log', input], isWhole: ({ data }) => data.complete }, () =>
      log(input, context),
    ),
});

/** Commits of a range to count. A larger range is a whole history, whose size says nothing. */
const MOST_COUNTED = 100_000;

/** Counts the commits of a range; undefined if they are too many or were not counted in time. */
async function countCommits(repository: Repository, signal: AbortSignal, revision: string, paths: readonly string[]): Promise<number | undefined> {
  let text = '';
  const run = repository.run({
    arguments: countArguments({ revision, paths, most: MOST_COUNTED + 1 }),
    onOutput: (chunk) => void (text += chunk.toString('latin1')),
    revision,
  });
  const total = (await completeInTime(signal, run)) ? Number.parseInt(text, 10) : Number.NaN;
  return total <= MOST_COUNTED ? total : undefined;
}

/** What a log says beside its commits. */
function notesOf(
  commits: ReadonlyArray<{ readonly shallow: boolean }>,
  next: number | undefined,
  total: number | undefined,
  complete: boolean,
): string[] {
  return [
    commits.length === 0 && complete ? 'No commits.' : undefined,
    next === undefined ? undefined : `More with "offset": ${next}${total === undefined ? '' : `; ${count(total, 'commit')} in all`}.`,
    commits.some(({ shallow }) => shallow) ? 'The history ends here because this is a shallow clone.' : undefined,
    complete ? undefined : 'The deadline came first: there may be more.',
  ].filter((line) => line !== undefined);
}

/** Returns the log that git reports. */
async function log({ path, revision, files, bodies, offset, limit }: Input, { workspace, git, signal }: ToolContext) {
  const wanted = revision === undefined ? undefined : parseHistory(revision);
  using repository = await git.open(workspace, signal, path);
  const found: Commit[] = [];
  const parser = new LogParser((commit) => found.push(commit));
  const splitter = new RecordSplitter(parser.take);
  const paths = repository.path === undefined ? [] : [repository.path];
  const complete = await completeInTime(
    signal,
    repository
      .run({
        // One commit more than is shown tells whether there are more.
        arguments: logArguments({ revision: wanted, paths, skip: offset, count: limit + 1, files, renames: !repository.isPartial }),
        onOutput: (chunk) => void splitter.write(chunk),
        revision: wanted,
      })
      .catch((error: unknown) => {
        // A branch without a commit has an empty history. That is a valid answer.
        if (wanted !== undefined || !isUnborn(error)) throw error;
      }),
  );
  parser.end();
  // A deleted file has a history.
  if (found.length === 0 && complete && path !== undefined && offset === 0) assertPath(workspace, path);
  const cut = repository.shallowCommits;
  const shown = found.slice(0, limit);
  const commits = shown.map((commit) => logged(repository, commit, cut.has(commit.sha)));
  const hasMore = found.length > limit;
  const total = hasMore && complete && wanted !== undefined && isRange(wanted) ? await countCommits(repository, signal, wanted, paths) : undefined;
  const notes = notesOf(commits, hasMore ? offset + limit : undefined, total, complete);
  return {
    sandbox: repository.sandbox,
    data: {
      repository: repository.location,
      commits,
      has_more: hasMore || !complete,
      ...(total === undefined ? {} : { total }),
      is_shallow: cut.size > 0,
      complete,
    },
    content: commits.map((commit, index) => commitText(commit, shown[index]?.fileCount ?? 0, bodies)).join(''),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  };
}

function isUnborn(error: unknown): boolean {
  return isSynapseError(error) && error.details?.['reason'] === NO_COMMITS;
}
