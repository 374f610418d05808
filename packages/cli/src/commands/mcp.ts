import { runMcpServer } from '@synapse/mcp-server';
import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { mcpOffer } from '../mcp/mcp-offer.ts';
import { otherServers } from '../mcp/other-servers.ts';
import { refuseHttpOptions, serveOverHttp } from '../mcp/serve-over-http.ts';
import { httpOptions, serverOptions } from '../mcp/server-options.ts';
import { openHands, readableFolders } from '../open-hands.ts';
import { tellNotSandboxed } from '../tell-not-sandboxed.ts';

export const command = defineCommand({
  details: 'Reading is allowed; --allow permits more, and so does the person where the client can ask.',
  notes: 'Over HTTP every request needs the bearer token of the token file, and the URL is printed on stdout.',
  options: { ...serverOptions, http: flag('serve over streamable HTTP, at /mcp'), ...httpOptions },
  examples: [
    ['synapse mcp --workspace ~/project', 'reading only'],
    ['synapse mcp --allow write,exec', 'changing files and running commands as well'],
    ['synapse mcp --tools read_file,search_text', 'two tools only'],
    ['synapse mcp --tools read-only', 'what changes nothing: no file and no command'],
    ['synapse mcp --mcp --tools all', 'with the tools of your other MCP servers, under the same rules and records'],
    ['synapse mcp --http', 'http://127.0.0.1:7411/mcp, for programs of this machine'],
  ],
  async run(context) {
    const { options, err, stdin, signal } = context;
    if (!options.http) refuseHttpOptions(options);
    await using hands = await openHands(options, err, undefined, otherServers(context));
    const outside = readableFolders(options);
    if (outside.length > 0) err.write(`Files outside the workspace can be read, but for what usually holds secrets: ${outside.join(', ')}.\n`, 'dim');
    await tellNotSandboxed(options, err);
    if (options.http) {
      await serveOverHttp(hands, context);
      return 0;
    }
    if (stdin.isTTY) err.write(`Serving ${hands.workspace} over stdio; an MCP client starts this command by itself. Ctrl+C ends it.\n`, 'dim');
    await runMcpServer({ ...mcpOffer(hands, context), signal });
    return 0;
  },
});
