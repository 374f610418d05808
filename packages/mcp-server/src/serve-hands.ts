import { Server, type JSONRPCRequest, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ToolRegistry } from '@synapse/hands';
import { ERROR_CODES, toSynapseError, type CallError } from '@synapse/protocol';
import { callResult, type McpCallResult } from './call-result.ts';
import { lineTransport } from './line-transport.ts';
import { progressUpdates } from './progress-updates.ts';
import type { McpServerOptions } from './run-mcp-server.ts';
import { toolDefinition, type McpToolDefinition } from './tool-definition.ts';

/** A JSON-RPC error; the SDK sends its `code`, `message` and `data`. */
class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The list is fixed for as long as the process lives; five minutes let a client see what an upgrade brings. */
const TOOLS_CACHE = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

function unknownTool(error: CallError): RpcError {
  const { code, hint, message, details } = error;
  return new RpcError(ERROR_CODES[code].jsonRpcCode, hint === undefined ? message : `${message} ${hint}`, { code, ...details });
}

/**
 * Serves hands to one client until it leaves or the signal is aborted; by then every call has ended.
 *
 * @throws SynapseError `unknown_tool` where `tools` names one that there is not
 */
export async function serveHands({ hands, name, version, tools, input, output, signal, onError }: Required<McpServerOptions>): Promise<void> {
  const all = new ToolRegistry(hands.tools());
  const offered = tools === 'all' ? all : new ToolRegistry([...new Set(tools)].map((tool) => all.get(tool)));
  const definitions: readonly McpToolDefinition[] = offered.list().map(toolDefinition);
  const running = new Set<Promise<unknown>>();

  const callTool = async (params: JSONRPCRequest['params'], { mcpReq }: ServerContext): Promise<McpCallResult> => {
    const tool = params?.['name'];
    if (typeof tool !== 'string') throw new RpcError(INVALID_PARAMS, 'tools/call needs params.name, the name of a tool.');
    if (offered !== all) {
      try {
        offered.get(tool);
      } catch (error) {
        throw unknownTool(toSynapseError(error));
      }
    }
    const token = mcpReq._meta?.progressToken;
    using updates = progressUpdates((update) => {
      // A client that left hears nothing, and that is no failure of the call.
      mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token ?? '', ...update } }).catch(onError);
    });
    const result = await hands.call(tool, params?.['arguments'], {
      signal: mcpReq.signal,
      ...(token === undefined ? {} : { onProgress: updates.report }),
    });
    if (!result.ok && result.error.code === 'unknown_tool') throw unknownTool(result.error);
    return callResult(result);
  };

  const createServer = (): Server => {
    const server = new Server({ name, version }, { capabilities: { tools: {} }, cacheHints: { 'tools/list': TOOLS_CACHE } });
    server.setRequestHandler('tools/list', () => ({ tools: [...definitions] }));
    // Not a request handler of its own: the SDK would check the arguments before the pipeline can, in
    // words that no model can act on, and parse every answer once more.
    server.fallbackRequestHandler = async ({ method, params }, context) => {
      if (method !== 'tools/call') throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 64)}`);
      const call = callTool(params, context);
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
