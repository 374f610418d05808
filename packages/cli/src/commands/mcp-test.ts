import type { McpServerStatus } from '@synapse/hands/mcp';
import { ERROR_CODES } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { isFine, shownMs, stateStyle } from '../mcp/mcp-report.ts';
import { openHands } from '../hands/open-hands.ts';
import type { Output } from '../output/output.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';

const indented = (lines: readonly string[]): string => lines.map((line) => `    ${inLine(line)}\n`).join('');

function tell(out: Output, status: McpServerStatus): void {
  const { name, state, reason, said, target, origin, connection, tools, pendingReview, problems } = status;
  out.write(`${name}: ${state}\n`, stateStyle(status));
  if (reason !== undefined) out.write(`  ${inLine(reason)}\n`);
  if (said !== undefined && said.stderr.length > 0) out.write(`  its last words on stderr:\n${indented(said.stderr)}`);
  if (said !== undefined && said.stdout.length > 0) {
    out.write(`  it wrote to stdout, where only JSON-RPC messages belong (its own text must go to stderr):\n${indented(said.stdout)}`);
  }
  out.write(`  ${target}, from ${origin}\n`, 'dim');
  if (connection !== undefined) {
    const { transport, server, protocolVersion, connectMs, listMs } = connection;
    const who = server === undefined ? 'a server without a name' : `${server.name} ${server.version}`;
    out.write(
      `  ${transport}, ${inLine(who)}, protocol ${protocolVersion ?? 'unknown'}; ready after ${shownMs(connectMs)}, answers in ${shownMs(listMs)}\n`,
    );
  }
  for (const tool of tools) out.write(`  ${tool}\n`);
  for (const held of pendingReview) out.write(`  ${held.name} (${held.kind}: synapse mcp approve ${name})\n`, 'yellow');
  for (const problem of problems) out.write(`  ${inLine(problem)}\n`, 'yellow');
}

export const command = defineCommand({
  details: 'The exit code is 1 if a server cannot be used, or has tools that need approval.',
  arguments: { '[server]': 'its name, as `synapse mcp list` shows it (default: all)' },
  options: { workspace, json },
  examples: [
    ['synapse mcp test github', 'one server, in detail'],
    ['synapse mcp test --json', 'all of them, for a program'],
  ],
  async run(context) {
    const {
      arguments: { server: wanted },
      options,
      out,
      err,
    } = context;
    await using hands = await openHands(options, context, undefined, { connect: 'demand' });
    const names = wanted === undefined ? hands.mcp.list().map(({ name }) => name) : [wanted];
    const servers = await Promise.all(names.map((name) => hands.mcp.test(name)));
    if (options.json) printJson(out, { servers, problems: hands.mcp.problems });
    else {
      for (const server of servers) tell(out, server);
      if (servers.length === 0) err.write('No MCP server is configured here; synapse mcp list says where to name some.\n', 'dim');
      for (const problem of hands.mcp.problems) err.write(`${inLine(problem)}\n`, 'yellow');
    }
    return servers.every(isFine) ? 0 : ERROR_CODES.tool_failed.exitCode;
  },
});
