// The same tool through the whole pipeline: validation, policy, audit, limits.
import { createHands, defineTool } from '@synapse/hands';
import { runMcpServer } from '@synapse/mcp-server';
import * as z from 'zod';

const [workspace = '.', stateFolder = ''] = process.argv.slice(2);
const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Gives a text back.',
  effects: 'read',
  input: z.strictObject({ text: z.string() }),
  output: z.strictObject({ text: z.string() }),
  permission: () => [],
  timeoutMs: 1_000,
  keep: 'head',
  summarize: ({ text }) => `echo(${text.length} characters)`,
  execute: async ({ text }) => ({ data: { text }, content: text }),
});
await using hands = await createHands({ workspace, stateFolder, tools: [echo] });
await runMcpServer({ hands, name: 'trivial', version: '1.0.0' });
