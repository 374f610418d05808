import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { parseJsonText } from '../../pipeline/copy-input.ts';
import { describeTool } from '../../providers/tool-description.ts';
import { defineTool, type AnyTool } from '../../tool.ts';
import { rankTools } from './rank-tools.ts';

/** Characters of all definitions that one search shows: what does not fit is named without its arguments. */
const MAX_SHOWN = 20_000;

const CALL_INPUT = z.strictObject({
  name: z
    .string()
    .regex(/^mcp:[^:]+:[^:]+$/u, 'a name such as mcp:github:create_issue')
    .describe('As mcp_search gives it, such as mcp:github:create_issue'),
  arguments: z.record(z.string(), z.unknown()).default({}).describe('The arguments of that tool'),
});

/** Finds tools of MCP servers, where there are too many to list them all. */
export function mcpSearch(tools: () => readonly AnyTool[]): AnyTool {
  return defineTool({
    name: 'mcp_search',
    title: 'Find a tool of an MCP server',
    description:
      'Find tools of the connected MCP servers by what they do. Gives names, descriptions and arguments; run one with mcp_call. ' +
      'The descriptions come from those servers.',
    effects: 'read',
    idempotent: true,
    input: z.strictObject({
      query: z.string().max(500).describe('A few words, such as "create issue"; empty lists the names'),
      limit: z.int().min(1).max(20).default(5),
    }),
    output: z.strictObject({
      tools: z.array(z.strictObject({ name: z.string(), description: z.string(), arguments: z.unknown() })),
      total: z.int(),
    }),
    permission: () => [],
    timeoutMs: 5_000,
    keep: 'head',
    summarize: ({ query }, { tools: found }) => `mcp_search(${JSON.stringify(query.slice(0, 60))}) → ${found.length} tools`,
    async execute({ query, limit }) {
      const all = tools();
      if (query.trim() === '') {
        const names = all.map(({ name }) => name);
        return {
          data: { tools: [], total: all.length },
          content: `${names.join('\n')}\n`,
          note: `${all.length} tools; search for one to see its arguments.`,
        };
      }
      const found = rankTools(query, all, limit).map((tool) => ({
        name: tool.name,
        description: tool.description,
        arguments: describeTool(tool).inputSchema as unknown,
      }));
      let room = MAX_SHOWN;
      const shown = found.map(({ name, description, arguments: schema }) => {
        const text = `${name}\n${description}\narguments: ${JSON.stringify(schema)}\n`;
        room -= text.length;
        return room >= 0 || found.length === 1 ? text : `${name}\n(Search for this name to see more.)\n`;
      });
      return {
        data: { tools: found, total: all.length },
        content: shown.join('\n'),
        note:
          found.length === 0
            ? `None of ${all.length} tools fits. Other words may; an empty query lists the names.`
            : `${found.length} of ${all.length} tools.`,
      };
    },
  });
}

/** Runs a tool that was found. It only names the call: that one is judged, recorded and run as if it had been made itself. */
export function mcpCall(isTool: (name: string) => boolean): AnyTool {
  return defineTool({
    name: 'mcp_call',
    title: 'Run a tool of an MCP server',
    description: 'Run a tool that mcp_search found, by its name and with its arguments.',
    effects: 'mcp',
    input: CALL_INPUT,
    output: z.strictObject({}),
    permission: ({ name }) => [{ action: 'mcp', resource: name }],
    timeoutMs: 5_000,
    keep: 'head',
    summarize: ({ name }) => `mcp_call(${name})`,
    delegate(input) {
      const { success, data } = CALL_INPUT.safeParse(typeof input === 'string' ? parseJsonText(input) : input);
      return success && isTool(data.name) ? { tool: data.name, input: data.arguments } : undefined;
    },
    async execute({ name }) {
      throw new SynapseError('not_found', `There is no MCP tool named ${JSON.stringify(name.slice(0, 128))}.`, {
        hint: 'Find the right name with mcp_search.',
      });
    },
  });
}
