import { isInsideCall, type McpOptions } from '@synapse/hands';
import type { CommandContext } from '../command.ts';

/**
 * The MCP servers whose tools `synapse mcp --mcp` passes on. A configuration may name Synapse itself (`synapse mcp
 * install` writes it there): one that was started by another passes none on, else each would start the next.
 */
export function otherServers({ options, err }: Pick<CommandContext, 'options' | 'err'>): McpOptions | undefined {
  if (!options.mcp) return undefined;
  if (isInsideCall()) {
    err.write('Another Synapse started this one, so MCP servers are not passed on (--mcp is ignored).\n', 'yellow');
    return undefined;
  }
  return { connect: 'start' };
}
