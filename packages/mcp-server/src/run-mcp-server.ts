import { assertHttpOptions, assertStreamOptions } from './assert-offer.ts';
import { OFFER_DEFAULTS, type McpHttpOptions, type McpServerOptions } from './mcp-offer.ts';

/**
 * Serves hands over MCP, to clients of all protocol versions. Resolves when the client disconnects or the
 * signal is aborted; by then, calls that still ran are aborted and have ended.
 *
 * @throws SynapseError `unknown_tool` if `tools` names an unknown tool, `invalid_arguments` for an unknown dialect or option
 * @example
 * await using hands = await createHands({ workspace: '.' });
 * await runMcpServer({ hands, name: 'synapse', version: '1.0.0' });
 */
export async function runMcpServer(options: McpServerOptions): Promise<void> {
  assertStreamOptions(options);
  // The SDK takes longer to load than everything else together, so it is loaded only to serve.
  const { serveHands } = await import('./serve-hands.ts');
  const { input = process.stdin, output = process.stdout, signal = new AbortController().signal } = options;
  await serveHands({ ...OFFER_DEFAULTS, ...options, input, output, signal });
}

/** Port of `synapse mcp --http`; fixed, so that clients are configured once. */
export const DEFAULT_PORT = 7411;

/**
 * Serves hands over streamable HTTP, to clients of all protocol versions, until the signal is aborted. By then,
 * calls that still ran are cancelled and have ended.
 *
 * @throws SynapseError `unavailable` if it cannot listen, and the errors of {@link runMcpServer}
 * @example
 * const token = randomBytes(32).toString('hex');
 * await runMcpHttpServer({ hands, name: 'synapse', version: '1.0.0', token, port: 0, onListening: console.error });
 */
export async function runMcpHttpServer(options: McpHttpOptions): Promise<void> {
  assertHttpOptions(options);
  const { serveHttp } = await import('./http/serve-http.ts');
  await serveHttp({
    ...OFFER_DEFAULTS,
    host: '127.0.0.1',
    port: DEFAULT_PORT,
    origins: [],
    signal: new AbortController().signal,
    onListening: () => {},
    ...options,
  });
}
