import { CANONICAL_TOOLS, describeTools, findDialect } from '@synapse/hands';
import { toolDefinition } from '@synapse/mcp-server';
import type { CommandAction } from '../command.ts';
import { columns } from '../columns.ts';

/** Lists the tools. */
export const tools: CommandAction = async ({ options, out }) => {
  const dialect = options.dialect === undefined ? undefined : findDialect(options.dialect);
  const described = dialect === undefined ? CANONICAL_TOOLS.map(toolDefinition) : describeTools(dialect, CANONICAL_TOOLS);
  if (options.json) out.write(`${JSON.stringify({ tools: described }, null, out.isTerminal ? 2 : 0)}\n`);
  else if (dialect === undefined) out.write(columns(CANONICAL_TOOLS.map(({ name, effects, title }) => [name, effects, title])));
  else
    out.write(
      columns(described.map(({ name, description }) => [name, dialect.tools.find((tool) => tool.name === name)?.permission ?? '', description])),
    );
  return 0;
};
