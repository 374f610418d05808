import * as z from 'zod';
import { size } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();

export const fileInfo = defineTool({
  name: 'file_info',
  title: 'Facts about a file',
  description: 'Type, size, times, mode and link target of a file or folder, without reading it. A link is described, not followed.',
  effects: 'read',
  idempotent: true,
  input: () => z.strictObject({ path: fields.path }),
  output: () =>
    z.strictObject({
      path: z.string(),
      name: z.string(),
      type: z.enum(['file', 'directory', 'link', 'other']),
      size: z.int(),
      modified: z.int(),
      created: z.int(),
      /** Permission bits, such as 0o644. */
      mode: z.int(),
      /** Number of hard links. */
      links: z.int(),
      target: z.string().optional(),
    }),
  aliases: { fields: fields.pathAliases },
  otherNames: ['stat', 'get_file_info', 'exists', 'file_exists'],
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 5_000,
  keep: 'head',
  summarize: ({ path }, { type }) => `file_info(${path}) → ${type}`,
  async execute({ path }, { workspace }) {
    const info = workspace.describe(path);
    const lines = [
      `${info.path}: ${info.type}${info.target === undefined ? '' : ` -> ${info.target}`}`,
      `size ${size(info.size)} (${info.size} bytes)`,
      `modified ${time(info.modified)}`,
      `created ${time(info.created)}`,
      `mode ${info.mode.toString(8).padStart(3, '0')}`,
    ];
    return { data: info, content: lines.join('\n') };
  },
});
