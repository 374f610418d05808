import * as z from 'zod';
import { letterOf, movedPath } from '../git/change-list.ts';
import { shortId } from '../git/short-id.ts';
import { statusArguments } from '../git/git-arguments.ts';
import { StatusParser } from '../git/parse-status.ts';
import { RecordSplitter } from '../text/record-splitter.ts';
import { type Changed, operationInProgress, OPERATIONS, STATUS_LISTS, StatusCounts, StatusLists } from '../git/status-lists.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { assertPath } from './assert-path.ts';
import * as fields from './fields.ts';

const statusSchema = () =>
  z.strictObject({
    /** Root of the working tree, relative to the workspace root. */
    repository: z.string(),
    branch: z.string().nullable(),
    detached: z.boolean(),
    /** Null before the first commit. */
    head: z.string().nullable(),
    upstream: z.string().nullable(),
    ahead: z.int().nullable(),
    behind: z.int().nullable(),
    is_clean: z.boolean(),
    has_remote: z.boolean(),
    operation: z.enum(OPERATIONS).nullable(),
    stashes: z.int(),
    counts: StatusCounts,
    ...STATUS_LISTS,
  });
type Status = z.infer<ReturnType<typeof statusSchema>>;

function position({ detached, head, branch, upstream, ahead, behind }: Status): string {
  if (detached) return `HEAD detached at ${shortId(head ?? '')}`;
  const on = `On branch ${branch}${head === null ? ', no commits yet' : ''}`;
  if (upstream === null) return on;
  if (ahead === null) return `${on}, whose upstream ${upstream} is gone`;
  if (ahead === 0 && behind === 0) return `${on}, level with ${upstream}`;
  return `${on}, ${ahead} ahead and ${behind} behind ${upstream}`;
}

function section(title: string, lines: readonly string[], total: number): string {
  if (total === 0) return '';
  const more = total > lines.length ? `  … ${total - lines.length} more\n` : '';
  return `${title} (${total}):\n${lines.map((line) => `  ${line}\n`).join('')}${more}`;
}

function statusText(status: Status): string {
  const { counts } = status;
  const changed = (file: Changed): string => `${letterOf(file.status)} ${movedPath(file)}`;
  return [
    `${position(status)}\n`,
    status.operation === null ? '' : `A ${status.operation} is in progress\n`,
    status.stashes === 0 ? '' : `${count(status.stashes, 'stash', 'stashes')}\n`,
    section(
      'Conflicted',
      status.conflicted.map(({ path, conflict }) => `${path}: ${conflict.replaceAll('_', ' ')}`),
      counts.conflicted,
    ),
    section('Staged', status.staged.map(changed), counts.staged),
    section('Not staged', status.unstaged.map(changed), counts.unstaged),
    section('Untracked', status.untracked, counts.untracked),
    status.is_clean ? 'Nothing to commit, working tree clean\n' : '',
  ].join('');
}

export const gitStatus = defineTool({
  name: 'git_status',
  title: 'Git status',
  description: 'Branch, upstream, and staged, unstaged, untracked and conflicted files of the git repository.',
  effects: 'read',
  idempotent: true,
  input: () => z.strictObject({ path: fields.path.optional() }),
  output: statusSchema,
  aliases: { fields: fields.folderAliases, ignored: [...fields.remarks, 'repo_path', 'repo', 'porcelain', 'short'] },
  otherNames: ['status', 'get_git_status', 'get_status'],
  permission: ({ path }) => [{ action: 'read', resource: path ?? '.' }],
  timeoutMs: 30_000,
  keep: 'head',
  summarize: ({ path }, { is_clean, counts }) =>
    `git_status(${path ?? ''}) → ${
      is_clean
        ? 'clean'
        : count(
            Object.values(counts).reduce((sum, amount) => sum + amount),
            'change',
          )
    }`,
  execute: ({ path }, context) => context.git.remembered({ workspace: context.workspace, path, question: ['status'] }, () => status(path, context)),
});

/** Returns the status that git reports. */
async function status(path: string | undefined, { workspace, git, signal }: ToolContext) {
  using repository = await git.open(workspace, signal, path);
  const found = new StatusLists((bytes) => repository.display(bytes));
  const parser = new StatusParser(found.add);
  const splitter = new RecordSplitter(parser.take);
  await repository.run({
    arguments: statusArguments(repository.path === undefined ? [] : [repository.path]),
    onOutput: (chunk) => void splitter.write(chunk),
  });
  if (found.total === 0 && path !== undefined) assertPath(workspace, path);
  const { head } = parser;
  const data: Status = {
    repository: repository.location,
    branch: head.branch ?? null,
    detached: head.branch === undefined,
    head: head.commit ?? null,
    upstream: head.upstream ?? null,
    ahead: head.ahead ?? null,
    behind: head.behind ?? null,
    is_clean: found.total === 0,
    has_remote: repository.remotes.length > 0,
    operation: operationInProgress(repository.ownFolder) ?? null,
    stashes: head.stashes,
    counts: found.counts,
    ...found.lists,
  };
  const { shown, total } = found;
  return {
    sandbox: repository.sandbox,
    data,
    content: statusText(data),
    ...(repository.caveat === undefined ? {} : { note: repository.caveat }),
    ...(shown === total
      ? {}
      : {
          truncation: {
            by: 'entries' as const,
            shown: { entries: shown },
            total: { entries: total },
            next: `${count(total - shown, 'entry', 'entries')} left out; name a folder as "path" to see those in it.`,
          },
        }),
  };
}
