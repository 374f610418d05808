import { DIALECTS, findDialect, isInsideCall, type McpOptions } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';

interface PassingOn extends Pick<CommandIo, 'err'> {
  readonly options: { readonly mcp: boolean; readonly dialect: string | undefined };
}

const MCP_TOOLS = 'mcp:*';

/** A dialect has the tools of its system and no others: servers would be started for nobody. */
function refuseDialectWithout(name: string): void {
  const reaching = DIALECTS.filter(({ tools }) => tools.some(({ uses }) => uses.includes(MCP_TOOLS)));
  if (reaching.includes(findDialect(name))) return;
  throw new SynapseError('invalid_arguments', `The dialect ${name} has no tool for those of MCP servers, so --mcp would do nothing.`, {
    hint: `Leave one of the two out. Dialects that have one: ${reaching.map((dialect) => dialect.name).join(', ')}.`,
  });
}

/**
 * The MCP servers whose tools `synapse mcp --mcp` passes on. A configuration may name Synapse itself (`synapse mcp
 * install` writes it there): one that was started by another passes none on, else each would start the next.
 *
 * @throws SynapseError `invalid_arguments` for a dialect that has no tool for them
 */
export function otherServers({ options, err }: PassingOn): McpOptions | undefined {
  if (!options.mcp) return undefined;
  if (options.dialect !== undefined) refuseDialectWithout(options.dialect);
  if (isInsideCall()) {
    err.write('Another Synapse started this one, so MCP servers are not passed on (--mcp is ignored).\n', 'yellow');
    return undefined;
  }
  return { connect: 'start' };
}
