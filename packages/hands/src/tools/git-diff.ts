import { isUtf8 } from 'node:buffer';
import * as z from 'zod';
import { ChangedFile, changedFiles, changeLines, changeNote, changeSummary, ChangeTotals } from '../git/change-list.ts';
import { completeInTime } from '../git/complete-in-time.ts';
import { conflictArguments, diffArguments, pathArguments } from '../git/git-arguments.ts';
import { ChangesParser } from '../git/parse-changes.ts';
import { parseComparison } from '../git/revision.ts';
import { readShownChanges, withheldNote, type DiffReader } from '../git/shown-changes.ts';
import { defineTool } from '../tool/tool.ts';
import { assertPath } from './assert-path.ts';
import * as fields from './fields.ts';

const MAX_PATHS = 200;

export const gitDiff = defineTool({
  name: 'git_diff',
  title: 'Git diff',
  description: 'Changes of the working tree against the index; "staged": the index against HEAD; "revision": against or between commits.',
  effects: 'read',
  idempotent: true,
  input: () =>
    z.strictObject({
      path: fields.path.optional(),
      paths: z.array(z.string()).min(1).max(MAX_PATHS).optional().describe('Several paths'),
      staged: z.boolean().default(false).describe('Compare the index'),
      revision: z.string().optional().describe('A, A..B or A...B'),
      stat: z.boolean().default(false).describe('Only files and line counts, no patch'),
      context: z.int().min(0).max(1_000).default(3).describe('Lines around each change'),
    }),
  output: () =>
    z.strictObject({
      repository: z.string(),
      files: z.array(ChangedFile),
      totals: ChangeTotals,
      /** Empty if only counts were requested. */
      patch: z.string(),
      complete: z.boolean(),
    }),
  aliases: {
    fields: {
      ...fields.pathAliases,
      ...fields.revisionAliases,
      cached: 'staged',
      files: 'paths',
      name_only: 'stat',
      context_lines: 'context',
      unified: 'context',
    },
    ignored: [...fields.remarks, 'repo_path', 'repo'],
  },
  otherNames: ['diff', 'git_diff_unstaged', 'git_diff_staged', 'get_diff'],
  permission: ({ path, paths = [] }) =>
    [path ?? (paths.length === 0 ? '.' : undefined), ...paths].flatMap((resource) =>
      resource === undefined ? [] : [{ action: 'read' as const, resource }],
    ),
  timeoutMs: 30_000,
  keep: 'head',
  summarize: ({ revision, staged }, { totals }) => `git_diff(${revision ?? (staged ? 'staged' : '')}) → ${changeSummary(totals)}`,
  async execute({ path, paths = [], staged, revision, stat, context }, ctx) {
    const wanted = revision === undefined ? undefined : parseComparison(revision);
    const all = path === undefined ? paths : [path, ...paths];
    using repository = await ctx.git.open(ctx.workspace, ctx.signal, all[0]);
    const collector = ctx.collectOutput();
    const reader = (): DiffReader => {
      const changes = new ChangesParser(
        (chunk) => void collector.write(chunk),
        (name) => stat || ctx.workspace.mayRead(repository.displayChange(name)),
      );
      return { changes, write: (chunk) => changes.write(chunk) };
    };
    const whole = reader();
    const parser = whole.changes;
    const shape = { patch: !stat, context, location: repository.location, below: repository.below, renames: !repository.isPartial };
    const what = { staged, revision: wanted, paths: pathArguments(repository, all) };
    const compare = async (): Promise<void> => {
      const argumentsFor = (only: readonly string[] = what.paths): string[] => diffArguments({ ...what, paths: only }, shape);
      await readShownChanges(repository, { reader: whole, again: reader, arguments: argumentsFor, revision: wanted });
      const conflicts = stat ? [] : parser.combined.filter((bytes) => isUtf8(bytes)).slice(0, MAX_PATHS);
      if (conflicts.length === 0) return;
      const paths = conflicts.map((bytes) => repository.changeArgument(bytes.toString('utf8')));
      await repository.run({ arguments: conflictArguments(paths, shape), onOutput: (chunk) => void collector.write(chunk) });
    };
    const complete = await completeInTime(ctx.signal, compare());
    // A deleted file is shown as a change.
    if (parser.files.length === 0 && complete && revision === undefined) for (const one of all) assertPath(ctx.workspace, one);
    const { text, truncation } = collector.finish('head');
    const files = changedFiles(repository, parser.files);
    const body = stat ? changeLines(files) : text;
    const notes = [changeNote(parser.totals, complete), withheldNote(parser), repository.caveat];
    return {
      sandbox: repository.sandbox,
      data: { repository: repository.location, files, totals: parser.totals, patch: text, complete },
      content: body,
      note: notes.filter((line) => line !== undefined).join(' '),
      ...(truncation === undefined ? {} : { truncation }),
    };
  },
});
