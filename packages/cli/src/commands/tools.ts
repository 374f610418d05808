import { CANONICAL_TOOLS, describeTool, describeTools, findDialect, toolFormat, writeTools } from '@synapse/hands';
import type { CommandAction } from '../command.ts';
import { columns } from '../columns.ts';

/** Nobody calls what is only printed. */
const nobody = { tools: () => [], call: async () => ({ output: '', isError: true }) };

/** Lists the tools. */
export const tools: CommandAction = async ({ options, out }) => {
  const indent = out.isTerminal ? 2 : 0;
  const dialect = options.dialect === undefined ? undefined : findDialect(options.dialect);
  const described = dialect === undefined ? CANONICAL_TOOLS.map(describeTool) : describeTools(dialect, CANONICAL_TOOLS);
  if (options.format !== undefined) {
    const written = writeTools(described, nobody, toolFormat(options.format));
    out.write(typeof written === 'string' ? written : `${JSON.stringify(written, null, indent)}\n`);
  } else if (options.json) out.write(`${JSON.stringify({ tools: described }, null, indent)}\n`);
  else if (dialect === undefined) out.write(columns(CANONICAL_TOOLS.map(({ name, effects, title }) => [name, effects, title])));
  else
    out.write(
      columns(described.map(({ name, description }) => [name, dialect.tools.find((tool) => tool.name === name)?.permission ?? '', description])),
    );
  return 0;
};
