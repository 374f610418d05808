import type { Hands } from '@synapse/hands';
import { findDialect } from '@synapse/hands/dialects';
import { writeTools } from '@synapse/hands/providers';
import type { KnownTool } from './tool-calls.ts';

/** The effects, strongest last. */
const STRENGTH: readonly KnownTool['effects'][] = ['read', 'net', 'write', 'mcp', 'exec'];

function strongest(effects: readonly KnownTool['effects'][]): KnownTool['effects'] {
  return effects.toSorted((one, other) => STRENGTH.indexOf(one) - STRENGTH.indexOf(other)).at(-1) ?? 'mcp';
}

/** Finds what is known about tools, by their names in hands, in the dialect and for the model's provider. */
export function knownTools(hands: Hands, dialect: string | undefined): (tool: string) => KnownTool | undefined {
  const found = new Map<string, KnownTool>();
  for (const { name, title, effects } of hands.tools()) found.set(name, { title, effects });
  if (dialect !== undefined)
    for (const { name, title, uses } of findDialect(dialect).tools)
      found.set(name, { title: title ?? name, effects: strongest(uses.map((tool) => found.get(tool)?.effects ?? 'mcp')) });
  const caller = dialect === undefined ? hands : hands.dialect(dialect);
  const described = caller.tools('json-schema');
  // A provider may allow fewer characters in names than MCP servers use.
  for (const [index, name] of Object.keys(writeTools(described, caller, 'ai-sdk')).entries()) {
    const known = found.get(described[index]?.name ?? '');
    if (known !== undefined) found.set(name, known);
  }
  return (tool) => found.get(tool);
}
