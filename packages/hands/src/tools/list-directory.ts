import * as z from 'zod';
import { count, size } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import type { Entry } from '../workspace/list-entries.ts';
import * as fields from './fields.ts';

/** Maximum number of entries. More names do not help a model. */
const MAX_ENTRIES = 1_000;
const MAX_DEPTH = 10;

/** Returns a function that formats times to the minute. It caches them: files created together share a time, and formatting is slow. */
function minuteWriter(): (milliseconds: number) => string {
  const written = new Map<number, string>();
  return (milliseconds) => {
    const minute = Math.floor(milliseconds / 60_000);
    let text = written.get(minute);
    if (text === undefined) written.set(minute, (text = new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')));
    return text;
  };
}

/** @param time shown only on request: it takes half of the tokens of a listing, and few tasks need it */
function line(entry: Entry, base: string, time: ((milliseconds: number) => string) | undefined): string {
  const name = entry.path.slice(base.length);
  if (entry.type === 'directory') return `${name}/`;
  if (entry.type === 'link') return `${name} -> ${entry.target}`;
  return `${name}  ${size(entry.size)}${time === undefined ? '' : `  ${time(entry.modified)}`}`;
}

/** Counts entries by type, such as "2 folders, 15 files". */
function counted(entries: readonly Pick<Entry, 'type'>[]): string {
  const folders = entries.filter(({ type }) => type === 'directory').length;
  const files = entries.length - folders;
  return [...(folders > 0 ? [count(folders, 'folder')] : []), ...(files > 0 || folders === 0 ? [count(files, 'file')] : [])].join(', ');
}

export const listDirectory = defineTool({
  name: 'list_directory',
  title: 'List a folder',
  description: 'List a folder: folders first, then files with their size. Names that begin with a dot only when asked.',
  effects: 'read',
  idempotent: true,
  input: () =>
    z.strictObject({
      path: fields.path.default('.'),
      depth: z.int().min(1).max(MAX_DEPTH).default(1).describe('Levels to descend'),
      hidden: fields.hidden,
      details: z.boolean().default(false).describe('Tell when each file was changed'),
      limit: z.int().min(1).max(MAX_ENTRIES).default(MAX_ENTRIES),
    }),
  output: () =>
    z.strictObject({
      path: z.string(),
      entries: z.array(
        z.strictObject({
          path: z.string(),
          name: z.string(),
          type: z.enum(['file', 'directory', 'link', 'other']),
          size: z.int(),
          /** Milliseconds since 1970. */
          modified: z.int(),
          target: z.string().optional(),
        }),
      ),
      /** Number of entries in the opened folders, shown or not. */
      total: z.int(),
      truncated: z.boolean(),
    }),
  aliases: {
    fields: { ...fields.folderAliases, max_depth: 'depth', levels: 'depth', all: 'hidden', show_hidden: 'hidden', include_hidden: 'hidden' },
    ignored: fields.remarks,
    advice: { ignore: 'find_files takes globs that begin with !', pattern: 'find_files takes globs', glob: 'find_files takes globs' },
    meant: ({ recursive, ...rest }) => ({ ...rest, ...(recursive === true && rest['depth'] === undefined ? { depth: MAX_DEPTH } : {}) }),
  },
  otherNames: [
    'ls',
    'dir',
    'list',
    'list_dir',
    'list_files',
    'list_folder',
    'tree',
    'directory_tree',
    'list_directory_with_sizes',
    'list_allowed_directories',
  ],
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 10_000,
  keep: 'head',
  summarize: ({ path }, { entries }) => `list_directory(${path.replace(/(?<=[^/.])$/u, '/')}) → ${counted(entries)}`,
  async execute({ path: given, depth, hidden, details, limit }, { workspace }) {
    const path = workspace.display(given);
    const { base, entries, total, complete } = workspace.list(given, { depth, hidden, limit });
    const shown = entries.length;
    const time = details ? minuteWriter() : undefined;
    return {
      data: { path, entries, total, truncated: !complete },
      content: entries.map((entry) => line(entry, base, time)).join('\n'),
      note: complete
        ? count(shown, 'entry', 'entries')
        : `Truncated: the first ${count(shown, 'entry', 'entries')} of at least ${total}. List a folder below, or use find_files.`,
      ...(complete ? {} : { truncation: { by: 'entries' as const, shown: { entries: shown }, total: { entries: total } } }),
    };
  },
});
