import { defineTool } from '../tool.ts';
import * as z from 'zod';
import { size } from '../text/amounts.ts';
import * as fields from './fields.ts';

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read a file',
  description: 'x',
  effects: 'read',
  input: z.strictObject({ path: fields.path }),
  output: z.strictObject({ content: z.string() }),
  permission: ({ path }) => [{ action: 'read', resource: path }],
  timeoutMs: 10_000,
  keep: 'head',
  summarize: ({ path }, { content }) => `read_file(${path}) → ${size(Buffer.byteLength(content))}`,
  async execute({ path }, { workspace }) {
    using file = workspace.openFile(path);
    const bytes = await file.read(0, file.size);
    return { data: { content: bytes.toString() }, content: bytes.toString() };
  },
});
