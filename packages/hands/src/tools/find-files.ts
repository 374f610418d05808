import { unappliedNote } from '../search/ignore-files.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import { hiddenHint, leftOutNote } from './search-notes.ts';
import { searchAsMeant } from '../search/search.ts';
import type { Truncation } from '@synapse/protocol';
import type { Workspace } from '../workspace/workspace.ts';
import * as z from 'zod';
import * as fields from './fields.ts';

const NEXT = {
  shown: 'Only the newest are shown: narrow the path or the glob, or raise "limit".',
  time: 'The time was up before everything was searched: narrow the path or the glob.',
} as const;

/** Common mistakes in a glob: the pattern to detect, and a hint. The first match is reported. */
const MISTAKES: ReadonlyArray<readonly [glob: RegExp, hint: (glob: string) => string]> = [
  [/\\[.dw]|\.\*|\$$|^\^/u, (glob) => `That is a regular expression; a glob looks like ${glob.includes('.') ? '*.ts' : '*name*'}.`],
  [/^\.[a-z]+$/iu, (glob) => `To match by ending, try *${glob}.`],
  // A glob without a wildcard matches the whole name, which is easy to forget.
  [/^(?:\*\*\/)?[\w.-]+$/u, (glob) => `No file has exactly this name; try ${glob.replace(/[\w.-]+$/u, '*$&*')}. Upper and lower case count.`],
];

function globHint(globs: readonly string[], folder: string, isFolder: (path: string) => boolean): string {
  const [only = ''] = globs;
  if (globs.length !== 1) return '';
  if (folder !== '.' && only.startsWith(`${folder}/`)) return ` The glob is relative to ${folder}; try ${only.slice(folder.length + 1)}.`;
  if (isFolder(only)) return ` ${only} is a folder; try ${only}/**.`;
  const found = MISTAKES.find(([glob]) => glob.test(only));
  return found === undefined ? '' : ` ${found[1](only)}`;
}

function isFolder(workspace: Pick<Workspace, 'describe'>, path: string): boolean {
  try {
    return workspace.describe(path).type === 'directory';
  } catch {
    // Missing, or not a valid path.
    return false;
  }
}

function noMatch({ hidden, ignore }: { readonly hidden: boolean; readonly ignore: boolean }, hint: string): string {
  const left = [...(hidden ? [] : ['hidden']), ...(ignore ? ['ignored'] : [])].join(' and ');
  return `No files match${left === '' ? '' : `; ${left} files were not considered`}.${hint}`;
}

const truncationBy = (reason: keyof typeof NEXT, shown: number, total: number | undefined): Truncation => ({
  by: reason === 'time' ? 'time' : 'entries',
  shown: { entries: shown },
  total: total === undefined ? {} : { entries: total },
  next: NEXT[reason],
});

type Asked = Readonly<{ glob: readonly string[]; path: string; hidden: boolean }>;

/** What may help if nothing was found. */
function hintFor({ glob, path, hidden }: Asked, workspace: Workspace, noFiles: boolean): string {
  const hint = noFiles ? undefined : hiddenHint(glob, hidden);
  return hint === undefined ? globHint(glob, path, (one) => isFolder(workspace, one)) : ` ${hint}`;
}

export const findFiles = defineTool({
  name: 'find_files',
  title: 'Find files',
  description: 'Find files by glob, newest first. A glob without / matches names at any depth. Honors .gitignore.',
  effects: 'read',
  idempotent: true,
  input: () =>
    z.strictObject({
      glob: fields.globs,
      path: z.string().default('.').describe('Folder the glob is relative to'),
      hidden: fields.hidden,
      ignore: fields.ignore,
      limit: z.int().min(1).max(1_000).default(100),
    }),
  output: () =>
    z.strictObject({
      /** Size in bytes, time in milliseconds since 1970; newest first. */
      files: z.array(z.strictObject({ path: z.string(), size: z.number(), modified: z.number() })),
      /** Number of matches, if the search finished. */
      total: z.int().optional(),
      truncated: z.enum(['limit', 'time']).optional(),
      timed_out: z.boolean(),
      /** Results left out because they changed during the search. */
      changed: z.int(),
    }),
  aliases: {
    fields: {
      ...fields.limitAliases,
      ...fields.ignoreAliases,
      query: 'glob',
      pattern: 'glob',
      name: 'glob',
      filename: 'glob',
      file_name: 'glob',
      file_pattern: 'glob',
      glob_pattern: 'glob',
      globs: 'glob',
      directory: 'path',
      dir: 'path',
      dir_path: 'path',
      folder: 'path',
      target_directory: 'path',
      include_hidden: 'hidden',
    },
    ignored: [...fields.remarks, ['recursive', true], 'case_sensitive'],
    advice: {
      exclude: 'give a glob that begins with !',
      type: 'give a glob such as *.ts',
      recursive: 'a glob such as ./*.ts finds only what is in the folder itself',
    },
  },
  otherNames: ['glob', 'find', 'find_file', 'find_path', 'search_files', 'file_search', 'glob_file_search', 'fuzzy_find'],
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 10_000,
  keep: 'head',
  summarize: ({ glob }, { files }) => `find_files(${glob.join(', ').slice(0, 80)}) → ${count(files.length, 'file')}`,
  async execute({ glob, ...input }, { search, workspace, signal }) {
    const globs = glob.map((one) => workspace.relativeGlob(one, input.path));
    const { found, note, noFiles } = await searchAsMeant(
      globs,
      input,
      { search, workspace, signal },
      (meant) => search.files({ ...input, globs: meant }, workspace, signal),
      ({ collected: all }) => all === 0,
    );
    const { files, collected, stoppedBy, changed, unreadable, leftOut, sandbox } = found;
    const isCut = stoppedBy === undefined && collected > input.limit;
    const total = stoppedBy === undefined ? collected : undefined;
    const hint = hintFor({ ...input, glob }, workspace, noFiles);
    const notes = [
      ...(note === undefined ? [] : [note]),
      files.length > 0 ? `${isCut ? `${files.length} of ${count(collected, 'file')}` : count(files.length, 'file')}.` : noMatch(input, hint),
      ...leftOutNote(changed, 'result', 'changed during the search and'),
      ...(unreadable ? ['Some folders could not be read.'] : []),
      ...unappliedNote(leftOut),
    ];
    const reason = stoppedBy ?? (isCut ? 'shown' : undefined);
    const truncation = reason === undefined ? undefined : truncationBy(reason, files.length, total);
    return {
      data: {
        files: [...files],
        ...(total === undefined ? {} : { total }),
        ...(reason === undefined ? {} : { truncated: reason === 'time' ? ('time' as const) : ('limit' as const) }),
        timed_out: stoppedBy === 'time',
        changed,
      },
      content: files.map(({ path }) => path).join('\n'),
      note: notes.join(' '),
      ...(truncation === undefined ? {} : { truncation }),
      ...(sandbox === undefined ? {} : { sandbox }),
    };
  },
});
