import * as z from 'zod';
import { defineTool } from '../tool.ts';
import * as fields from './fields.ts';

export const createDirectory = defineTool({
  name: 'create_directory',
  title: 'Create a folder',
  description: 'Create a folder and its parents. A folder that exists already is fine.',
  effects: 'write',
  idempotent: true,
  input: z.strictObject({ path: fields.path }),
  output: z.strictObject({ path: z.string(), created: z.boolean() }),
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
