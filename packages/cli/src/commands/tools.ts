import { type AnyTool } from '@synapse/hands';
import { describeTools, findDialect } from '@synapse/hands/dialects';
import { TOOL_FORMATS, toolFormat, writeTools } from '@synapse/hands/providers';
import { CANONICAL_TOOLS, describeTool, type ToolDescription } from '@synapse/hands/tools';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { text } from '../command/option.ts';
import { dialect, json, mcp, workspace } from '../command/shared-options.ts';
import { columns } from '../output/columns.ts';
import { tellProblems } from '../mcp/mcp-report.ts';
import { printJson } from '../output/print-json.ts';
import { refuseLocalOptions, remote } from '../remote/remote-options.ts';
import { openHands } from '../hands/open-hands.ts';

/** Milliseconds after which a server is left out, so that the list appears soon. */
const CONNECT_MS = 10_000;

/** The tools are only printed, never called. */
const noTools = { tools: () => [], call: async () => ({ output: '', isError: true }) };

/** The tools of a workspace, including those of its MCP servers that can be connected. */
async function withServers(folder: string | undefined, io: CommandIo): Promise<readonly AnyTool[]> {
  await using hands = await openHands({ workspace: folder }, io, undefined, { connect: 'start', connectTimeoutMs: CONNECT_MS });
  await hands.mcp.settled();
  tellProblems(hands.mcp, io.err);
  return hands.tools();
}

/** The tools of another machine, as it describes them. */
async function describedFarAway(address: string, spoken: string | undefined, { err, signal }: CommandIo): Promise<readonly ToolDescription[]> {
  const { openFarAway } = await import('../remote/open-far-hands.ts');
  await using opened = await openFarAway(address, spoken, { err, signal });
  return opened.far.tools();
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
    const { options, out } = context;
    const format = options.format === undefined ? undefined : toolFormat(options.format);
    /** Prints the tools for a program, if that is wanted. Returns whether it was. */
    const printForProgram = (described: readonly ToolDescription[]): boolean => {
      const written = format === undefined ? undefined : writeTools(described, noTools, format);
      if (typeof written === 'string') out.write(written);
      else if (written !== undefined || options.json) printJson(out, written ?? { tools: described });
      return written !== undefined || options.json;
    };
    if (options.remote !== undefined) {
      refuseLocalOptions({ workspace, mcp }, options);
      const described = await describedFarAway(options.remote, options.dialect, context);
      if (!printForProgram(described)) out.write(columns(described.map(({ name, description }) => [name, description.split('\n')[0] ?? ''])));
      return 0;
    }
    const spoken = options.dialect === undefined ? undefined : findDialect(options.dialect);
    const all = options.mcp ? await withServers(options.workspace, context) : CANONICAL_TOOLS;
    const described = spoken === undefined ? all.map(describeTool) : describeTools(spoken, all);
    if (printForProgram(described)) return 0;
    if (spoken === undefined) out.write(columns(all.map(({ name, effects, title }) => [name, effects, title])));
    else
      out.write(
        columns(described.map(({ name, description }) => [name, spoken.tools.find((tool) => tool.name === name)?.permission ?? '', description])),
      );
    return 0;
  },
});
