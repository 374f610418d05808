import * as z from 'zod';
import { defineTool } from '../tool/tool.ts';
import * as fields from './fields.ts';

export const movePath = defineTool({
  name: 'move_path',
  title: 'Move or rename',
  description: 'Move or rename a file, folder or link; parent folders are created. Never replaces what exists.',
  effects: 'write',
  destructive: true,
  input: () => z.strictObject({ from: fields.path, to: fields.path }),
  aliases: {
    fields: {
      source: 'from',
      src: 'from',
      old_path: 'from',
      source_path: 'from',
      from_path: 'from',
      path: 'from',
      destination: 'to',
      dest: 'to',
      dst: 'to',
      new_path: 'to',
      destination_path: 'to',
      to_path: 'to',
      target: 'to',
    },
    ignored: fields.remarks,
  },
  otherNames: ['mv', 'move', 'rename', 'move_file', 'rename_file', 'rename_path'],
  output: () => z.strictObject({ from: z.string(), to: z.string() }),
  // A moved path can be read under its new name, so a move needs permission to read.
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
