import { type AnyTool } from '@synapse/hands';
import { describeTools, findDialect } from '@synapse/hands/dialects';
import { TOOL_FORMATS, toolFormat, writeTools } from '@synapse/hands/providers';
import { CANONICAL_TOOLS, describeTool } from '@synapse/hands/tools';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { text } from '../command/option.ts';
import { dialect, json, mcp, workspace } from '../command/shared-options.ts';
import { columns } from '../output/columns.ts';
import { tellProblems } from '../mcp/mcp-report.ts';
import { inLine } from '../output/visible-text.ts';
import { refuseLocalOptions, remote } from '../remote/remote-options.ts';
import { openHands } from '../hands/open-hands.ts';

/** Milliseconds after which a server is left out, so that the list appears soon. */
const CONNECT_MS = 10_000;

/** The tools are only printed, never called. */
const noTools = { tools: () => [], call: async () => ({ output: '', isError: true }) };

/** The tools of a workspace, including those of its MCP servers that can be connected. */
async function withServers(folder: string | undefined, err: CommandIo['err']): Promise<readonly AnyTool[]> {
  await using hands = await openHands({ workspace: folder }, err, undefined, { connect: 'start', connectTimeoutMs: CONNECT_MS });
  await hands.mcp.settled();
  tellProblems(hands.mcp, err);
  return hands.tools();
}

interface Listed {
  readonly dialect: string | undefined;
  readonly format: string | undefined;
  readonly json: boolean;
}

/** Prints the tools of another machine, as it describes them. */
async function listFarAway(address: string, { dialect, format, json }: Listed, { out, err, signal }: CommandIo): Promise<number> {
  const { openFarAway } = await import('../remote/open-far-hands.ts');
  await using opened = await openFarAway(address, dialect, { err, signal });
  const { far } = opened;
  const indent = out.isTerminal ? 2 : 0;
  if (format !== undefined) {
    const written = writeTools(far.tools(), noTools, toolFormat(format));
    out.write(typeof written === 'string' ? written : `${JSON.stringify(written, null, indent)}\n`);
  } else if (json) out.write(`${JSON.stringify({ tools: far.tools() }, null, indent)}\n`);
  else out.write(columns(far.tools().map(({ name, description }) => [inLine(name), inLine(description.split('\n')[0] ?? '')])));
  return 0;
}

export const command = defineCommand({
  options: {
    workspace,
    dialect: { ...dialect, rare: false },
    format: text('<name>', `in the format of a provider: ${TOOL_FORMATS.join(', ')}`),
    mcp,
    json,
    remote,
  },
  examples: [
    ['synapse tools --mcp', 'with those of the MCP servers that are configured here'],
    ['synapse tools --json', 'names, descriptions and schemas for a program'],
    ['synapse tools --format anthropic', 'the list that a request to a provider has'],
    ['synapse tools --remote ws://127.0.0.1:7412#laptop', 'those of another machine'],
  ],
  async run(context) {
    const { options, out, err } = context;
    if (options.remote !== undefined) {
      refuseLocalOptions({ workspace, mcp }, options);
      return await listFarAway(options.remote, options, context);
    }
    const indent = out.isTerminal ? 2 : 0;
    const spoken = options.dialect === undefined ? undefined : findDialect(options.dialect);
    const all = options.mcp ? await withServers(options.workspace, err) : CANONICAL_TOOLS;
    const described = spoken === undefined ? all.map(describeTool) : describeTools(spoken, all);
    if (options.format !== undefined) {
      const written = writeTools(described, noTools, toolFormat(options.format));
      out.write(typeof written === 'string' ? written : `${JSON.stringify(written, null, indent)}\n`);
    } else if (options.json) out.write(`${JSON.stringify({ tools: described }, null, indent)}\n`);
    else if (spoken === undefined) out.write(columns(all.map(({ name, effects, title }) => [name, effects, title])));
    else
      out.write(
        columns(described.map(({ name, description }) => [name, spoken.tools.find((tool) => tool.name === name)?.permission ?? '', description])),
      );
    return 0;
  },
});
