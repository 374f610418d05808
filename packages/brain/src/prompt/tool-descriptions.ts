import type { ToolDescription } from '@synapse/hands/tools';

/** Anything with tools to describe: hands, or a dialect of hands. */
export interface DescribedTools {
  tools(format: 'json-schema'): readonly ToolDescription[];
}

function fieldList({ inputSchema }: ToolDescription): string {
  const { properties, required } = inputSchema;
  if (typeof properties !== 'object' || properties === null) return '';
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  return Object.keys(properties)
    .map((name) => (needed.has(name) ? name : `${name}?`))
    .join(', ');
}

/**
 * Describes the tools as text, one line each: name, fields and description. Models get schemas as well; this is the
 * text for the prompt.
 *
 * @example
 * console.log(toolDescriptions(hands));
 */
export function toolDescriptions(hands: DescribedTools): string {
  return hands
    .tools('json-schema')
    .map((tool) => `- ${tool.name}(${fieldList(tool)}): ${tool.description.replaceAll(/\s+/gu, ' ')}`)
    .join('\n');
}
