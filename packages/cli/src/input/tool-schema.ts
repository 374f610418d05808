import type { Hands } from '@synapse/hands';
import { describeTool } from '@synapse/hands/tools';
import type { ObjectSchema } from './key-values.ts';

/** The JSON Schema of a tool's arguments; undefined for an unknown tool. Connects the server of a tool of an MCP server. */
export async function toolSchema(hands: Hands, tool: string, dialect: string | undefined): Promise<ObjectSchema | undefined> {
  if (dialect !== undefined) {
    const tools = hands.dialect(dialect).tools();
    return tools.find(({ name }) => name === tool)?.inputSchema;
  }
  const [, server] = /^mcp:([^:]+):/u.exec(tool) ?? [];
  if (server !== undefined && hands.mcp.list().some(({ name }) => name === server)) await hands.mcp.test(server);
  const found = [...hands.tools(), ...hands.mcp.tools()].find(({ name }) => name === tool);
  return found === undefined ? undefined : describeTool(found).inputSchema;
}
