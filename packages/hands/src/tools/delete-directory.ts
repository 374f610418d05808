import * as z from 'zod';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';

export const deleteDirectory = defineTool({
  name: 'delete_directory',
  title: 'Delete a folder',
  description: 'Delete an empty folder, or with recursive a folder and everything in it. Links inside are deleted, not followed.',
  effects: 'write',
  destructive: true,
  input: () =>
    z.strictObject({
      path: fields.path,
      recursive: z.boolean().default(false).describe('Also delete what is in it'),
    }),
  aliases: { fields: fields.folderAliases, ignored: fields.remarks },
  otherNames: ['rmdir', 'remove_directory', 'delete_folder', 'remove_folder'],
  output: () =>
    z.strictObject({
      path: z.string(),
      /** Number of deleted entries below the folder. */
      deleted: z.int(),
    }),
  permission: ({ path }) => [{ action: 'write', resource: path }],
  timeoutMs: 60_000,
  keep: 'head',
  summarize: ({ path }, { deleted }) => `delete_directory(${path}) → ${count(deleted, 'entry', 'entries')}`,
  async execute({ path: given, recursive }, { workspace }) {
    const path = workspace.display(given);
    const deleted = await workspace.deleteDirectory(given, recursive);
    return { data: { path, deleted }, content: `${path} deleted${deleted === 0 ? '' : ` with ${count(deleted, 'entry', 'entries')}`}.` };
  },
});
