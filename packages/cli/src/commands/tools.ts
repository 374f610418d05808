import { CANONICAL_TOOLS, describeTool, describeTools, findDialect, TOOL_FORMATS, toolFormat, writeTools, type AnyTool } from '@synapse/hands';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { text } from '../command/option.ts';
import { dialect, json, mcp, workspace } from '../command/shared-options.ts';
import { columns } from '../columns.ts';
import { tellProblems } from '../mcp-report.ts';
import { openHands } from '../open-hands.ts';

/** A list is wanted soon: a server that is not there by then, in milliseconds, is left out of it. */
const CONNECT_MS = 10_000;

/** Nobody calls what is only printed. */
const nobody = { tools: () => [], call: async () => ({ output: '', isError: true }) };

/** The tools of a workspace with those of its MCP servers, as far as they can be connected. */
async function withServers(folder: string | undefined, err: CommandIo['err']): Promise<readonly AnyTool[]> {
  await using hands = await openHands({ workspace: folder }, err, undefined, { connect: 'start', connectTimeoutMs: CONNECT_MS });
  await hands.mcp.settled();
  tellProblems(hands.mcp, err);
  return hands.tools();
}

export const command = defineCommand({
  options: {
    workspace,
    dialect: { ...dialect, rare: false },
    format: text('<name>', `as a provider takes them: ${TOOL_FORMATS.join(', ')}`),
    mcp,
    json,
  },
  examples: [
    ['synapse tools --mcp', 'with those of the MCP servers that are configured here'],
    ['synapse tools --json', 'names, descriptions and schemas for a program'],
    ['synapse tools --format anthropic', 'the list that a request to a provider has'],
  ],
  async run({ options, out, err }) {
    const indent = out.isTerminal ? 2 : 0;
    const spoken = options.dialect === undefined ? undefined : findDialect(options.dialect);
    const all = options.mcp ? await withServers(options.workspace, err) : CANONICAL_TOOLS;
    const described = spoken === undefined ? all.map(describeTool) : describeTools(spoken, all);
    if (options.format !== undefined) {
      const written = writeTools(described, nobody, toolFormat(options.format));
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
