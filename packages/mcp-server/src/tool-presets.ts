import { type DialectToolDescription } from '@synapse/hands/dialects';
import { nearest } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';

type Described = Pick<DialectToolDescription, 'name' | 'annotations'>;

/** Sets of tools by capability, so that new tools are included automatically. */
export const TOOL_PRESETS = {
  /** Tools that change nothing and stay in the workspace. */
  'read-only': ({ annotations }: Described) => annotations?.readOnlyHint === true && annotations.openWorldHint !== true,
  /** Tools that read and change files; no commands, no network. */
  edit: ({ annotations }: Described) => annotations !== undefined && annotations.openWorldHint !== true,
  all: () => true,
} as const satisfies Record<string, (tool: Described) => boolean>;

/** Tools that replace those of MCP servers if there are too many to list. */
const SEARCH_TOOLS: ReadonlySet<string> = new Set(['mcp_search', 'mcp_call']);

/** Whether a word names a tool of an MCP server, or a prefix with `*`. These tools change, so a missing one is no error. */
const isForeign = (word: string): boolean => word.startsWith('mcp:') || SEARCH_TOOLS.has(word);

function means(word: string, tool: Described): boolean {
  if (isPreset(word)) return TOOL_PRESETS[word](tool);
  return isForeign(word) && word.endsWith('*') ? tool.name.startsWith(word.slice(0, -1)) : tool.name === word;
}

function isPreset(word: string): word is keyof typeof TOOL_PRESETS {
  return Object.hasOwn(TOOL_PRESETS, word);
}

/** Whether a tool of an MCP server was requested by name or `mcp:server:*`, even if there are too many tools to list. */
export function isAskedFor(tool: Described, wanted: readonly string[]): boolean {
  return wanted.some((word) => isForeign(word) && means(word, tool));
}

/**
 * Returns the tools requested by name, preset or `mcp:server:*`, in that order, each once.
 *
 * @param whose where the tools are from, such as " in gemini-cli"
 * @throws SynapseError `unknown_tool` for any other word, with similar names
 */
export function chooseTools<Tool extends Described>(all: readonly Tool[], wanted: 'all' | readonly string[], whose = ''): readonly Tool[] {
  if (wanted === 'all') return all;
  const names = all.map(({ name }) => name);
  const unknown = wanted.find((word) => !isPreset(word) && !isForeign(word) && !names.includes(word));
  if (unknown !== undefined) {
    const near = nearest(unknown, [...names, ...Object.keys(TOOL_PRESETS)]);
    throw new SynapseError('unknown_tool', `Unknown tool or preset${whose}: ${JSON.stringify(unknown.slice(0, 64))}`, {
      hint: `${near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''}The presets are ${Object.keys(TOOL_PRESETS).join(', ')}; the tools are: ${names.join(', ')}.`,
    });
  }
  return [...new Set(wanted.flatMap((word) => all.filter((tool) => means(word, tool))))];
}
