import { CANONICAL_TOOLS, describeTool, describeTools, findDialect, toolFormat, writeTools, type AnyTool } from '@synapse/hands';
import type { CommandAction, CommandContext } from '../command.ts';
import { columns } from '../columns.ts';
import { tellProblems } from '../mcp-report.ts';
import { openHands } from '../open-hands.ts';

/** A list is wanted soon: a server that is not there by then, in milliseconds, is left out of it. */
const CONNECT_MS = 10_000;

/** Nobody calls what is only printed. */
const nobody = { tools: () => [], call: async () => ({ output: '', isError: true }) };

/** The tools of a workspace with those of its MCP servers, as far as they can be connected. */
async function withServers({ options, err }: CommandContext): Promise<readonly AnyTool[]> {
  await using hands = await openHands(options, err, undefined, { connect: 'start', connectTimeoutMs: CONNECT_MS });
  await hands.mcp.settled();
  tellProblems(hands.mcp, err);
  return hands.tools();
}

/** Lists the tools. */
export const tools: CommandAction = async (context) => {
  const { options, out } = context;
  const indent = out.isTerminal ? 2 : 0;
  const dialect = options.dialect === undefined ? undefined : findDialect(options.dialect);
  const all = options.mcp ? await withServers(context) : CANONICAL_TOOLS;
  const described = dialect === undefined ? all.map(describeTool) : describeTools(dialect, all);
  if (options.format !== undefined) {
    const written = writeTools(described, nobody, toolFormat(options.format));
    out.write(typeof written === 'string' ? written : `${JSON.stringify(written, null, indent)}\n`);
  } else if (options.json) out.write(`${JSON.stringify({ tools: described }, null, indent)}\n`);
  else if (dialect === undefined) out.write(columns(all.map(({ name, effects, title }) => [name, effects, title])));
  else
    out.write(
      columns(described.map(({ name, description }) => [name, dialect.tools.find((tool) => tool.name === name)?.permission ?? '', description])),
    );
  return 0;
};
