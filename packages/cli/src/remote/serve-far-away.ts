import { runMcpServer } from '@synapse/mcp-server';
import type { CommandIo } from '../command/command.ts';
import { flag, type OptionValues } from '../command/option.ts';
import { handsOptions, mcp } from '../command/shared-options.ts';
import { httpOptions, serverOptions } from '../mcp/server-options.ts';
import { onWireError } from '../mcp/mcp-offer.ts';
import { openFarAway } from './open-far-hands.ts';
import { refuseLocalOptions } from './remote-options.ts';

interface Serving extends CommandIo {
  readonly options: OptionValues<typeof serverOptions>;
}

const { dialect: _, ...local } = handsOptions;
/** Options without effect if the tools are on another machine. */
const LOCAL = {
  ...local,
  ...httpOptions,
  mcp,
  maxOutput: serverOptions.maxOutput,
  noEditDiagnostics: serverOptions.noEditDiagnostics,
  http: flag(''),
};

/** Serves the tools of another machine to an MCP client over stdio. */
export async function serveFarAway(address: string, { options, err, stdin, signal, version }: Serving): Promise<number> {
  refuseLocalOptions(LOCAL, options);
  await using opened = await openFarAway(address, options.dialect, { err, signal });
  const { far } = opened;
  if (stdin.isTTY) err.write(`Serving ${far.about.workspace} of another machine over stdio; an MCP client starts this command by itself.\n`, 'dim');
  await runMcpServer({
    hands: far,
    name: 'synapse',
    version,
    ...(options.tools === undefined ? {} : { tools: options.tools }),
    onError: onWireError(err),
    signal,
  });
  return 0;
}
