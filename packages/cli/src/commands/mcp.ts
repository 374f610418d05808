import { runMcpServer } from '@synapse/mcp-server';
import type { CommandAction } from '../command.ts';
import { openHands } from '../open-hands.ts';

/** Serves the tools until the client leaves. */
export const mcp: CommandAction = async ({ options, err, stdin, signal, version }) => {
  await using hands = await openHands(options, err);
  if (stdin.isTTY) err.write(`Serving ${hands.workspace} over stdio; an MCP client starts this command by itself. Ctrl+C ends it.\n`, 'dim');
  await runMcpServer({
    hands,
    name: 'synapse',
    version,
    signal,
    ...(options.tools === undefined ? {} : { tools: options.tools }),
    ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
    onError: (error) => {
      // Answered on the wire already; stderr is the client's log.
      if (process.env['SYNAPSE_DEBUG'] !== undefined) err.write(`${error.stack ?? error.message}\n`);
    },
  });
  return 0;
};
