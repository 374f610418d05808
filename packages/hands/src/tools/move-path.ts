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
  // What is moved can be read under its new name, so moving takes what reading takes.
  permission: ({ from, to }) => [
    { action: 'read', resource: from },
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
