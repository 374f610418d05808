import { CANONICAL_TOOLS, describeTool, toolFormat, writeTools } from '@synapse/hands';
import type { CommandAction } from '../command.ts';
import { columns } from '../columns.ts';

/** Nobody calls what is only printed. */
const nobody = { tools: () => [], call: async () => ({ output: '', isError: true }) };

/** Lists the tools. */
export const tools: CommandAction = async ({ options, out }) => {
  const indent = out.isTerminal ? 2 : 0;
  if (options.format !== undefined) {
    const written = writeTools(CANONICAL_TOOLS.map(describeTool), nobody, toolFormat(options.format));
    out.write(typeof written === 'string' ? written : `${JSON.stringify(written, null, indent)}\n`);
  } else if (options.json) out.write(`${JSON.stringify({ tools: CANONICAL_TOOLS.map(describeTool) }, null, indent)}\n`);
  else out.write(columns(CANONICAL_TOOLS.map(({ name, effects, title }) => [name, effects, title])));
  return 0;
};
