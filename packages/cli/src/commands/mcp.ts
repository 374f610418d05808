import type { Hands } from '@synapse/hands';
import { runMcpServer } from '@synapse/mcp-server';
import { askedFrom } from '../branch/asked-from.ts';
import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { followFolder } from '../mcp/follow-folder.ts';
import { mcpOffer } from '../mcp/mcp-offer.ts';
import { otherServers } from '../mcp/other-servers.ts';
import { refuseHttpOptions, serveOverHttp } from '../mcp/serve-over-http.ts';
import { httpOptions, serverOptions } from '../mcp/server-options.ts';
import { remote } from '../remote/remote-options.ts';
import { grants, networkPolicy, openServedHands, readableFolders } from '../hands/open-hands.ts';
import { tellNotSandboxed } from '../hands/tell-not-sandboxed.ts';

export const command = defineCommand({
  details: 'Reading is allowed; --allow permits more. Clients that can ask also show a question.',
  notes:
    'Without --workspace, it works in the tracked project that the client has open, or in the folder that the client starts it in. ' +
    'Over HTTP, every request needs the bearer token of the token file, and the URL is printed on stdout.',
  options: { ...serverOptions, http: flag('serve over streamable HTTP, at /mcp'), ...httpOptions, remote },
  examples: [
    ['synapse mcp --workspace ~/project', 'reading only'],
    ['synapse mcp --allow write,exec', 'changing files and running commands as well'],
    ['synapse mcp --tools read_file,search_text', 'two tools only'],
    ['synapse mcp --tools read-only', 'tools that only read'],
    ['synapse mcp --mcp --tools all', 'with the tools of your other MCP servers, under the same rules and records'],
    ['synapse mcp --remote wss://relay.example#laptop', 'the tools of another machine'],
    ['synapse mcp --http', 'http://127.0.0.1:7411/mcp, for programs of this machine'],
  ],
  async run(context) {
    const { options, err, stdin, signal } = context;
    if (options.remote !== undefined) {
      const { serveFarAway } = await import('../remote/serve-far-away.ts');
      return await serveFarAway(options.remote, context);
    }
    if (!options.http) refuseHttpOptions(options);
    const outside = readableFolders(options);
    if (outside.length > 0) err.write(`Files outside the workspace can be read, but for what usually holds secrets: ${outside.join(', ')}.\n`, 'dim');
    const servers = otherServers(context);
    const open = (folder?: string): Promise<Hands> => openServedHands({ ...options, folder }, { err }, askedFrom('synapse mcp'), servers);
    const telling = 'Ctrl+C ends it.';
    if (options.workspace === undefined && !options.http) {
      grants(options);
      await using followed = followFolder(open, options.network === undefined ? undefined : networkPolicy(options.network));
      // For the current folder, the notes about it are printed with the first message.
      const started = await followed.choose(undefined);
      await tellNotSandboxed(options, err);
      if (stdin.isTTY)
        err.write(`Serving ${started ? followed.hands().workspace : 'no project yet'} over stdio, or what the client has open. ${telling}\n`, 'dim');
      await runMcpServer({ ...mcpOffer(followed.served, followed.hands, context), chooseFolder: followed.choose, signal });
      return 0;
    }
    await using hands = await open();
    await tellNotSandboxed(options, err);
    if (options.http) {
      await serveOverHttp(hands, context);
      return 0;
    }
    if (stdin.isTTY) err.write(`Serving ${hands.workspace} over stdio; an MCP client starts this command by itself. ${telling}\n`, 'dim');
    await runMcpServer({ ...mcpOffer(hands, () => hands, context), signal });
    return 0;
  },
});
