import type { McpServerStatus } from '@synapse/hands';
import { ERROR_CODES } from '@synapse/protocol';
import type { CommandAction } from '../command.ts';
import { isFine, shownMs, stateStyle } from '../mcp-report.ts';
import { openHands } from '../open-hands.ts';
import type { Output } from '../output.ts';
import { inLine, visibleJson } from '../visible-text.ts';

function tell(out: Output, status: McpServerStatus): void {
  const { name, state, reason, target, origin, connection, tools, heldBack, problems } = status;
  out.write(`${name}: ${state}\n`, stateStyle(status));
  if (reason !== undefined) out.write(`  ${inLine(reason)}\n`);
  out.write(`  ${target}, from ${origin}\n`, 'dim');
  if (connection !== undefined) {
    const { transport, server, protocolVersion, connectMs, listMs } = connection;
    const who = server === undefined ? 'a server without a name' : `${server.name} ${server.version}`;
    out.write(
      `  ${transport}, ${inLine(who)}, protocol ${protocolVersion ?? 'unknown'}; ready after ${shownMs(connectMs)}, answers in ${shownMs(listMs)}\n`,
    );
  }
  for (const tool of tools) out.write(`  ${tool}\n`);
  for (const held of heldBack) out.write(`  ${held.name} (${held.kind}: synapse mcp approve ${name})\n`, 'yellow');
  for (const problem of problems) out.write(`  ${inLine(problem)}\n`, 'yellow');
}

/** Connects one MCP server, or all, and shows what it offers. */
export const mcpTest: CommandAction = async ({ arguments: [wanted], options, out, err }) => {
  await using hands = await openHands(options, err, undefined, { connect: 'demand' });
  const names = wanted === undefined ? hands.mcp.list().map(({ name }) => name) : [wanted];
  const servers = await Promise.all(names.map((name) => hands.mcp.test(name)));
  if (options.json) out.write(`${visibleJson(JSON.stringify({ servers, problems: hands.mcp.problems }, null, out.isTerminal ? 2 : 0))}\n`);
  else {
    for (const server of servers) tell(out, server);
    if (servers.length === 0) err.write('No MCP server is configured here; synapse mcp list says where to name some.\n', 'dim');
    for (const problem of hands.mcp.problems) err.write(`${inLine(problem)}\n`, 'yellow');
  }
  return servers.every(isFine) ? 0 : ERROR_CODES.tool_failed.exitCode;
};
