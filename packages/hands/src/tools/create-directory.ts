import * as z from 'zod';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';

export const createDirectory = defineTool({
  name: 'create_directory',
  title: 'Create a folder',
  description: 'Create a folder and its parents. A folder that exists already is fine.',
  effects: 'write',
  destructive: false,
  idempotent: true,
  input: () => z.strictObject({ path: fields.path }),
  aliases: { fields: { ...fields.folderAliases, name: 'path' }, ignored: [...fields.remarks, 'recursive', 'parents'] },
  otherNames: ['mkdir', 'make_directory', 'create_folder', 'make_dir'],
  output: () => z.strictObject({ path: z.string(), created: z.boolean() }),
  permission: ({ path }) => [{ action: 'write', resource: path }],
  timeoutMs: 5_000,
  keep: 'head',
  summarize: ({ path }, { created }) => `create_directory(${path}) → ${created ? 'created' : 'exists'}`,
  async execute({ path: given }, { workspace }) {
    const path = workspace.display(given);
    const created = await workspace.makeDirectory(given);
    return { data: { path, created }, content: created ? `${path} created.` : `${path} exists already.` };
  },
});
