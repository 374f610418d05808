import type { McpServerStatus } from '@synapse/hands';
import type { CommandAction } from '../command.ts';
import { columns } from '../columns.ts';
import { shownMs, tellProblems } from '../mcp-report.ts';
import { openHands } from '../open-hands.ts';
import { visibleJson } from '../visible-text.ts';

/** Who looks at all servers wants an answer soon: one that is not there by then, in milliseconds, has failed. */
const CONNECT_MS = 10_000;

function row({ name, state, connection, tools, target, origin }: McpServerStatus): string[] {
  const count = connection === undefined ? '' : `${tools.length} tools`;
  return [state, name, connection?.transport ?? '', count, connection === undefined ? '' : shownMs(connection.listMs), target, origin];
}

/** Lists the MCP servers, connecting each. */
export const mcpList: CommandAction = async ({ options, out, err }) => {
  await using hands = await openHands(options, err, undefined, { connect: 'start', connectTimeoutMs: CONNECT_MS });
  await hands.mcp.settled();
  const servers = hands.mcp.list();
  if (options.json) {
    out.write(`${visibleJson(JSON.stringify({ servers, problems: hands.mcp.problems }, null, out.isTerminal ? 2 : 0))}\n`);
    return 0;
  }
  if (servers.length > 0) out.write(columns(servers.map(row)));
  else
    err.write(
      'No MCP server is configured here. Name some under "mcp": { "servers": … } in ~/.config/synapse/config.jsonc, or in .mcp.json of a trusted folder.\n',
      'dim',
    );
  tellProblems(hands.mcp, err);
  return 0;
};
