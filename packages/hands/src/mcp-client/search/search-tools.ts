import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { parseJsonText } from '../../call/copy-input.ts';
import { describeTool } from '../../providers/tool-description.ts';
import { type AnyTool, defineTool } from '../../tool/tool.ts';

/** A tool that can be searched for. */
interface SearchableTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** Weight of a word by its location. */
const WEIGHTS = { name: 4, title: 2, description: 1 } as const;
/** Weight of a word that only starts with the query word. */
const PREFIX_SHARE = 0.5;
/** Maximum number of words used of a description. */
const MAX_WORDS = 400;

/** Splits a text into lower-case words; `createIssue` and `create_issue` give the same two. */
export function words(text: string): string[] {
  return (
    text
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.slice(0, MAX_WORDS) ?? []
  );
}

function weightsOf(tool: SearchableTool): Map<string, number> {
  const weights = new Map<string, number>();
  for (const field of ['description', 'title', 'name'] as const) {
    // The location with the highest weight wins: repeating a word does not improve a tool.
    for (const word of words(tool[field])) weights.set(word, WEIGHTS[field]);
  }
  return weights;
}

/**
 * Returns the tools that match a query, best first: rare words count more, most of all in names.
 *
 * @param limit maximum number of results
 */
export function rankTools<Tool extends SearchableTool>(query: string, tools: readonly Tool[], limit: number): Tool[] {
  const wanted = [...new Set(words(query))];
  const weighted = tools.map((tool) => ({ tool, weights: weightsOf(tool) }));
  const scores = new Map<Tool, number>();
  for (const word of wanted) {
    const found = weighted.flatMap(({ tool, weights }) => {
      const whole = weights.get(word);
      if (whole !== undefined) return [{ tool, weight: whole }];
      const begun = [...weights].filter(([other]) => word.length >= 3 && other.startsWith(word)).map(([, weight]) => weight * PREFIX_SHARE);
      return begun.length === 0 ? [] : [{ tool, weight: Math.max(...begun) }];
    });
    // A word that all tools have does not distinguish them.
    const rarity = Math.log(1 + tools.length / (1 + found.length));
    for (const { tool, weight } of found) scores.set(tool, (scores.get(tool) ?? 0) + weight * rarity);
  }
  const exact = (tool: Tool): boolean => tool.name.toLowerCase() === query.trim().toLowerCase();
  return tools
    .filter((tool) => scores.has(tool) || exact(tool))
    .toSorted((a, b) => Number(exact(b)) - Number(exact(a)) || (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || (a.name < b.name ? -1 : 1))
    .slice(0, limit);
}

/** Maximum number of characters of all definitions in one result; further tools are listed without arguments. */
const MAX_SHOWN = 20_000;

const CALL_INPUT = z.strictObject({
  name: z
    .string()
    .regex(/^mcp:[^:]+:[^:]+$/u, 'a name such as mcp:github:create_issue')
    .describe('As mcp_search gives it, such as mcp:github:create_issue'),
  arguments: z.record(z.string(), z.unknown()).default({}).describe('The arguments of that tool'),
});

/** Creates the tool that searches tools of MCP servers if there are too many to list. */
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

/** Creates the tool that runs a found tool. It forwards the call, which is checked, recorded and run like a direct one. */
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
      throw new SynapseError('not_found', `Unknown MCP tool: ${JSON.stringify(name.slice(0, 128))}`, {
        hint: 'Find the right name with mcp_search.',
      });
    },
  });
}
