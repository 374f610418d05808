import * as z from 'zod';
import { defineTool } from '../tool.ts';
import * as fields from './fields.ts';

export const movePath = defineTool({
  name: 'move_path',
  title: 'Move or rename',
  description: 'Move or rename a file, folder or link; parent folders are created. Never replaces what exists.',
  effects: 'write',
  input: z.strictObject({ from: fields.path, to: fields.path }),
  output: z.strictObject({ from: z.string(), to: z.string() }),
  permission: ({ from, to }) => [
    { action: 'write', resource: from },
    { action: 'write', resource: to },
  ],
  timeoutMs: 10_000,
  keep: 'head',
  summarize: ({ from, to }) => `move_path(${from}, ${to}) → moved`,
  async execute({ from, to }, { workspace }) {
    await workspace.move(from, to);
    const [before, after] = [workspace.display(from), workspace.display(to)];
    return { data: { from: before, to: after }, content: `${before} moved to ${after}.` };
  },
});
