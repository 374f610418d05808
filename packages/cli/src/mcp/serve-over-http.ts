import { defaultStateFolder, type Hands } from '@synapse/hands';
import { DEFAULT_PORT, ensureTokenFile, readTokenFile, runMcpHttpServer } from '@synapse/mcp-server';
import { SynapseError } from '@synapse/protocol';
import { realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { CommandContext, CommandOptions } from '../command.ts';
import { mcpOffer } from './mcp-offer.ts';

const DEFAULT_HOST = '127.0.0.1';
/** Names and addresses that only this machine answers to. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/iu;

const HTTP_OPTIONS = { host: '--host', port: '--port', tokenFile: '--token-file' } as const satisfies Partial<Record<keyof CommandOptions, string>>;

/** Refuses options that would have no effect: whoever gave them expects one. */
export function refuseHttpOptions(options: CommandOptions): void {
  const flags = Object.entries(HTTP_OPTIONS).flatMap(([name, flag]) => (options[name as keyof typeof HTTP_OPTIONS] === undefined ? [] : [flag]));
  const [flag] = options.allowOrigin.length > 0 ? [...flags, '--allow-origin'] : flags;
  if (flag === undefined) return;
  throw new SynapseError('invalid_arguments', `${flag} is for --http.`, { hint: 'Add --http, or leave it out to serve over stdio.' });
}

/** A token that the tools can read is no secret. */
function refuseInside(tokenFile: string, workspace: string): void {
  const way = relative(workspace, realpathSync(tokenFile));
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way) return;
  throw new SynapseError('denied', 'The token file lies in the workspace, where every tool could read it.', { hint: 'Keep it elsewhere.' });
}

/** Serves the tools over HTTP until the process is asked to end. */
export async function serveOverHttp(hands: Hands, context: CommandContext): Promise<void> {
  const { options, out, err, signal } = context;
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, tokenFile, allowOrigin } = options;
  const { token, path } = tokenFile === undefined ? ensureTokenFile(defaultStateFolder(), hands.workspace) : readTokenFile(resolve(tokenFile));
  refuseInside(path, hands.workspace);
  if (!LOOPBACK.test(host)) {
    err.write(
      `${host} can be reached from other machines, and this is plain HTTP: whoever can listen on the way reads the token. ` +
        'Put a proxy with TLS before it, or use a tunnel.\n',
      'yellow',
    );
  }
  await runMcpHttpServer({
    ...mcpOffer(hands, context),
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
