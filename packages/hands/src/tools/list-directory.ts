import * as z from 'zod';
import { count, size } from '../text/amounts.ts';
import { defineTool } from '../tool.ts';
import type { Entry } from '../workspace/list-entries.ts';
import * as fields from './fields.ts';

/** More names than this help no model. */
const MAX_ENTRIES = 1_000;
const MAX_DEPTH = 10;

/** Writes times to the minute. Files that were made together share it, and a date takes longer to write than to look up. */
function minuteWriter(): (milliseconds: number) => string {
  const written = new Map<number, string>();
  return (milliseconds) => {
    const minute = Math.floor(milliseconds / 60_000);
    let text = written.get(minute);
    if (text === undefined) written.set(minute, (text = new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')));
    return text;
  };
}

function line(entry: Entry, base: string, time: (milliseconds: number) => string): string {
  const name = entry.path.slice(base.length);
  if (entry.type === 'directory') return `${name}/`;
  if (entry.type === 'link') return `${name} -> ${entry.target}`;
  return `${name}  ${size(entry.size)}  ${time(entry.modified)}`;
}

export const listDirectory = defineTool({
  name: 'list_directory',
  title: 'List a folder',
  description: 'List a folder: folders first, then files with size and time of change. Names that begin with a dot only when asked.',
  effects: 'read',
  idempotent: true,
  input: z.strictObject({
    path: fields.path.default('.'),
    depth: z.int().min(1).max(MAX_DEPTH).default(1).describe('Levels to descend'),
    hidden: fields.hidden,
    limit: z.int().min(1).max(MAX_ENTRIES).default(MAX_ENTRIES),
  }),
  output: z.strictObject({
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
    /** Entries in the folders that were opened, shown or not. */
    total: z.int(),
    truncated: z.boolean(),
  }),
  otherNames: ['ls', 'dir', 'list', 'list_dir', 'list_files'],
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 10_000,
  keep: 'head',
  summarize: ({ path }, { entries }) => `list_directory(${path}) → ${count(entries.length, 'entry', 'entries')}`,
  async execute({ path: given, depth, hidden, limit }, { workspace }) {
    const path = workspace.display(given);
    const { base, entries, total, complete } = workspace.list(given, { depth, hidden, limit });
    const shown = entries.length;
    const time = minuteWriter();
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
