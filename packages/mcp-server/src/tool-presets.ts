import { nearest, type DialectToolDescription } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';

type Described = Pick<DialectToolDescription, 'name' | 'annotations'>;

/** Sets of tools by what they can do, so that a tool that comes later is in the right ones. */
export const TOOL_PRESETS = {
  /** What changes nothing and stays in the workspace. */
  'read-only': ({ annotations }: Described) => annotations?.readOnlyHint === true && annotations.openWorldHint !== true,
  /** Reading and changing files; no commands, no network. */
  edit: ({ annotations }: Described) => annotations !== undefined && annotations.openWorldHint !== true,
  all: () => true,
} as const satisfies Record<string, (tool: Described) => boolean>;

/** In place of the tools of MCP servers where there are too many of them to list. */
const SEARCH_TOOLS: ReadonlySet<string> = new Set(['mcp_search', 'mcp_call']);

/** A tool of an MCP server, or with a `*` at the end all that begin so. They come and go: none is a mistake because it is not there. */
const isForeign = (word: string): boolean => word.startsWith('mcp:') || SEARCH_TOOLS.has(word);

function means(word: string, tool: Described): boolean {
  if (isPreset(word)) return TOOL_PRESETS[word](tool);
  return isForeign(word) && word.endsWith('*') ? tool.name.startsWith(word.slice(0, -1)) : tool.name === word;
}

function isPreset(word: string): word is keyof typeof TOOL_PRESETS {
  return Object.hasOwn(TOOL_PRESETS, word);
}

/** Whether a tool of an MCP server was asked for by its name or `mcp:server:*`. That counts also where there are too many to list them all. */
export function isAskedFor(tool: Described, wanted: readonly string[]): boolean {
  return wanted.some((word) => isForeign(word) && means(word, tool));
}

/**
 * The tools that were asked for by name, preset or `mcp:server:*`, in that order, each once.
 *
 * @param whose completes "There is no tool or preset named …"
 * @throws SynapseError `unknown_tool` for a word that is neither, with the nearest ones
 */
export function chooseTools<Tool extends Described>(all: readonly Tool[], wanted: 'all' | readonly string[], whose = ''): readonly Tool[] {
  if (wanted === 'all') return all;
  const names = all.map(({ name }) => name);
  const unknown = wanted.find((word) => !isPreset(word) && !isForeign(word) && !names.includes(word));
  if (unknown !== undefined) {
    const near = nearest(unknown, [...names, ...Object.keys(TOOL_PRESETS)]);
    throw new SynapseError('unknown_tool', `There is no tool or preset named ${JSON.stringify(unknown.slice(0, 64))}${whose}.`, {
      hint: `${near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''}The presets are ${Object.keys(TOOL_PRESETS).join(', ')}; the tools are: ${names.join(', ')}.`,
    });
  }
  return [...new Set(wanted.flatMap((word) => all.filter((tool) => means(word, tool))))];
}
