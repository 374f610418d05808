import { DIALECTS, findDialect } from '@synapse/hands/dialects';
import { isInsideCall } from '@synapse/hands/internal';
import { type McpOptions } from '@synapse/hands/mcp';
import { SynapseError } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';

interface PassingOn extends Pick<CommandIo, 'err'> {
  readonly options: { readonly mcp: boolean; readonly dialect: string | undefined };
}

const MCP_TOOLS = 'mcp:*';

/** A dialect has only its own tools, so servers would be started for nothing. */
function refuseDialectWithout(name: string): void {
  const reaching = DIALECTS.filter(({ tools }) => tools.some(({ uses }) => uses.includes(MCP_TOOLS)));
  if (reaching.includes(findDialect(name))) return;
  throw new SynapseError('invalid_arguments', `The dialect ${name} has no tool for those of MCP servers, so --mcp would do nothing.`, {
    hint: `Leave one of the two out. Dialects that have one: ${reaching.map((dialect) => dialect.name).join(', ')}.`,
  });
}

/**
 * The MCP servers that `synapse mcp --mcp` passes on. A configuration may contain Synapse itself (`synapse mcp install`
 * writes it): a Synapse started by another one passes none on, or each would start the next.
 *
 * @throws SynapseError `invalid_arguments` for a dialect without a tool for them
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
