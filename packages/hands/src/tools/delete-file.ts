import * as z from 'zod';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';

export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'Delete a file',
  description: 'Delete a file or a link. What a link points to is left alone.',
  effects: 'write',
  destructive: true,
  input: () => z.strictObject({ path: fields.path }),
  output: () => z.strictObject({ path: z.string() }),
  aliases: { fields: fields.pathAliases, ignored: fields.remarks, advice: { paths: 'it deletes one path; call it once for each' } },
  otherNames: ['rm', 'remove_file', 'remove', 'delete', 'unlink'],
  permission: ({ path }) => [{ action: 'write', resource: path }],
  timeoutMs: 5_000,
  keep: 'head',
  summarize: ({ path }) => `delete_file(${path}) → deleted`,
  async execute({ path: given }, { workspace }) {
    const path = workspace.display(given);
    await workspace.deleteFile(given);
    return { data: { path }, content: `${path} deleted.` };
  },
});
