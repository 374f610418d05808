import { CANONICAL_TOOLS } from '@synapse/hands';
import { toolDefinition } from '@synapse/mcp-server';
import type { CommandAction } from '../command.ts';
import { columns } from '../columns.ts';

/** Lists the tools. */
export const tools: CommandAction = async ({ options, out }) => {
  if (options.json) out.write(`${JSON.stringify({ tools: CANONICAL_TOOLS.map(toolDefinition) }, null, out.isTerminal ? 2 : 0)}\n`);
  else out.write(columns(CANONICAL_TOOLS.map(({ name, effects, title }) => [name, effects, title])));
  return 0;
};
