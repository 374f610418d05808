import type { Hands } from '@synapse/hands';
import { defaultStateFolder } from '@synapse/hands/internal';
import { DEFAULT_PORT, ensureTokenFile, readTokenFile, runMcpHttpServer } from '@synapse/mcp-server';
import { SynapseError } from '@synapse/protocol';
import { realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { CommandIo } from '../command/command.ts';
import type { OptionValues } from '../command/option.ts';
import { optionWords } from '../command/shared-options.ts';
import { mcpOffer } from './mcp-offer.ts';
import { httpOptions, type serverOptions } from './server-options.ts';

const DEFAULT_HOST = '127.0.0.1';
/** Host names and addresses of this machine only. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/iu;

type HttpOptions = OptionValues<typeof httpOptions>;

interface Serving extends CommandIo {
  readonly options: OptionValues<typeof serverOptions> & HttpOptions;
}

/** Throws for options that would have no effect. */
export function refuseHttpOptions(options: HttpOptions): void {
  const [flag] = optionWords(httpOptions, options);
  if (flag === undefined) return;
  throw new SynapseError('invalid_arguments', `${flag} is for --http.`, { hint: 'Add --http, or leave it out to serve over stdio.' });
}

/** A token that the tools can read is not a secret. */
function refuseInside(tokenFile: string, workspace: string): void {
  const way = relative(workspace, realpathSync(tokenFile));
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way) return;
  throw new SynapseError('denied', 'The token file is in the workspace, where every tool could read it.', { hint: 'Keep it elsewhere.' });
}

/** Serves the tools over HTTP until the process is asked to end. */
export async function serveOverHttp(hands: Hands, context: Serving): Promise<void> {
  const { options, out, err, signal } = context;
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, tokenFile, allowOrigin } = options;
  const { token, path } = tokenFile === undefined ? ensureTokenFile(defaultStateFolder(), hands.workspace) : readTokenFile(resolve(tokenFile));
  refuseInside(path, hands.workspace);
  if (!LOOPBACK.test(host)) {
    err.write(
      `${host} can be reached from other machines, and this is plain HTTP: anyone on the network path can read the token. ` +
        'Put a proxy with TLS before it, or use a tunnel.\n',
      'yellow',
    );
  }
  await runMcpHttpServer({
    ...mcpOffer(hands, () => hands, context),
    host,
    port,
    token,
    origins: allowOrigin,
    signal,
    onListening: (url) => {
      out.write(`${url}\n`);
      err.write(`Serving ${hands.workspace}. Clients send the token in ${path} as Authorization: Bearer. Ctrl+C ends it.\n`, 'dim');
    },
  });
}
