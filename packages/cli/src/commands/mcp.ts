import { runMcpServer } from '@synapse/mcp-server';
import type { CommandAction } from '../command.ts';
import { mcpOffer } from '../mcp/mcp-offer.ts';
import { refuseHttpOptions, serveOverHttp } from '../mcp/serve-over-http.ts';
import { openHands, readableFolders } from '../open-hands.ts';
import { otherServers } from '../mcp/other-servers.ts';

/** Serves the tools until the client leaves, or over HTTP until the process is asked to end. */
export const mcp: CommandAction = async (context) => {
  const { options, err, stdin, signal } = context;
  if (!options.http) refuseHttpOptions(options);
  await using hands = await openHands(options, err, undefined, otherServers(context));
  const outside = readableFolders(options);
  if (outside.length > 0) err.write(`Files outside the workspace can be read, but for what usually holds secrets: ${outside.join(', ')}.\n`, 'dim');
  if (options.http) {
    await serveOverHttp(hands, context);
    return 0;
  }
  if (stdin.isTTY) err.write(`Serving ${hands.workspace} over stdio; an MCP client starts this command by itself. Ctrl+C ends it.\n`, 'dim');
  await runMcpServer({ ...mcpOffer(hands, context), signal });
  return 0;
};
