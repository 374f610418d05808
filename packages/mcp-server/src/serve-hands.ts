import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ToolRegistry } from '@synapse/hands';
import { callTool } from './call-tool.ts';
import { lineTransport } from './line-transport.ts';
import { RpcError } from './rpc-error.ts';
import type { McpServerOptions } from './run-mcp-server.ts';

/** The list is fixed for as long as the process lives; five minutes let a client see what an upgrade brings. */
const TOOLS_CACHE = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;
/** JSON-RPC 2.0. */
const METHOD_NOT_FOUND = -32601;

/**
 * Serves hands to one client until it leaves or the signal is aborted; by then every call has ended.
 *
 * @throws SynapseError `unknown_tool` where `tools` names one that there is not
 */
export async function serveHands({ hands, name, version, tools, input, output, signal, onError }: Required<McpServerOptions>): Promise<void> {
  const all = new ToolRegistry(hands.tools());
  const offered = tools === 'all' ? undefined : new ToolRegistry([...new Set(tools)].map((tool) => all.get(tool)));
  const definitions = [...(offered ?? all).describe()];
  const running = new Set<Promise<unknown>>();

  const createServer = (): Server => {
    const server = new Server({ name, version }, { capabilities: { tools: {} }, cacheHints: { 'tools/list': TOOLS_CACHE } });
    server.setRequestHandler('tools/list', () => ({ tools: definitions }));
    // Not a request handler of its own: the SDK would check the arguments before the pipeline can, in
    // words that no model can act on, and parse every answer once more.
    server.fallbackRequestHandler = async ({ method, params }, context) => {
      if (method !== 'tools/call') throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 64)}`);
      const call = callTool({ hands, offered, onError }, params, context);
      running.add(call);
      try {
        return { ...(await call) };
      } finally {
        running.delete(call);
      }
    };
    return server;
  };

  const transport = lineTransport(input, output);
  const connection = serveStdio(createServer, { transport, onerror: onError });
  const close = (): void => void connection.close();
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
  await transport.closed;
  signal.removeEventListener('abort', close);
  await Promise.allSettled(running);
}
