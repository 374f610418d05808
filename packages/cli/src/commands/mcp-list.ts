import type { McpServerStatus } from '@synapse/hands/mcp';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { columns } from '../output/columns.ts';
import { shownMs, tellProblems } from '../mcp/mcp-report.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';

/** Milliseconds after which a server counts as failed, so that the list appears soon. */
const CONNECT_MS = 10_000;

function row({ name, state, connection, tools, target, origin }: McpServerStatus): string[] {
  const count = connection === undefined ? '' : `${tools.length} tools`;
  return [state, name, connection?.transport ?? '', count, connection === undefined ? '' : shownMs(connection.listMs), target, origin];
}

export const command = defineCommand({
  details:
    'Connects each. Servers are named in ~/.config/synapse/config.jsonc ("mcp": { "servers": … }) and, once the folder is trusted, in ' +
    '.synapse/config.jsonc, .mcp.json and .vscode/mcp.json of the project. The exit code is 0 whatever their state is.',
  options: { workspace, json },
  examples: [['synapse mcp list', 'state, transport, tools and latency of each']],
  async run(context) {
    const { options, out, err } = context;
    await using hands = await openHands(options, context, undefined, { connect: 'start', connectTimeoutMs: CONNECT_MS });
    await hands.mcp.settled();
    const servers = hands.mcp.list();
    if (options.json) {
      printJson(out, { servers, problems: hands.mcp.problems });
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
  },
});
