import { Server, type InputRequiredResult, type JSONRPCRequest } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { slimSchema, ToolRegistry, type DialectHands, type DialectToolDescription, type Hands } from '@synapse/hands';
import { retryApprovals } from './approval/ask-by-retry.ts';
import type { CallApproval } from './approval/call-approval.ts';
import { callApproval, NOBODY, sessionApproval } from './approval/client-approvals.ts';
import { sdkContext, type CallContext } from './call-context.ts';
import { callDialect, offeredTools } from './call-dialect.ts';
import type { McpCallResult } from './call-result.ts';
import { callTool } from './call-tool.ts';
import { directCalls, type DirectAnswers } from './direct-calls.ts';
import { lineTransport } from './line-transport.ts';
import { RpcError } from './rpc-error.ts';
import type { McpServerOptions } from './run-mcp-server.ts';

/** The list is fixed for as long as the process lives; five minutes let a client see what an upgrade brings. */
const TOOLS_CACHE = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;
/** JSON-RPC 2.0. */
const METHOD_NOT_FOUND = -32601;

/** What a server offers, and how it answers a call of it. */
interface Served {
  readonly definitions: readonly DialectToolDescription[];
  readonly call: (params: JSONRPCRequest['params'], context: CallContext, approval: CallApproval) => Promise<McpCallResult | InputRequiredResult>;
}

function canonicalTools(hands: Hands, tools: 'all' | readonly string[], onError: (error: Error) => void): Served {
  const all = new ToolRegistry(hands.tools());
  const offered = tools === 'all' ? undefined : new ToolRegistry([...new Set(tools)].map((tool) => all.get(tool)));
  return {
    definitions: (offered ?? all).describe(),
    call: (...request) => callTool({ hands, offered, onError }, ...request),
  };
}

function dialectTools(dialect: DialectHands, tools: 'all' | readonly string[], onError: (error: Error) => void): Served {
  const offered = offeredTools(dialect, tools);
  const withheld = new Set(dialect.tools().map((tool) => tool.name)).difference(new Set(offered.map((tool) => tool.name)));
  return {
    definitions: offered.map((tool) => {
      const { native: _, inputSchema, ...rest } = tool;
      return { ...rest, inputSchema: { ...slimSchema(inputSchema), type: 'object' as const } };
    }),
    call: (...request) => callDialect({ dialect, withheld, onError }, ...request),
  };
}

/**
 * Serves hands to one client until it leaves or the signal is aborted; by then every call has ended.
 *
 * @throws SynapseError `unknown_tool` where `tools` names one that there is not
 */
export async function serveHands(options: Required<Omit<McpServerOptions, 'dialect'>> & Pick<McpServerOptions, 'dialect'>): Promise<void> {
  const { hands, name, version, tools, dialect, input, output, signal, onError } = options;
  const { definitions, call: answer } =
    dialect === undefined ? canonicalTools(hands, tools, onError) : dialectTools(hands.dialect(dialect), tools, onError);
  const running = new Set<Promise<unknown>>();
  const retries = retryApprovals();
  /** What speaks with the client. There may be another one before it, for a client that asks first what it can speak. */
  let current: Server | undefined;
  const track = async <T>(call: Promise<T>): Promise<T> => {
    running.add(call);
    try {
      return await call;
    } finally {
      running.delete(call);
    }
  };

  const createServer = (): Server => {
    const server = new Server({ name, version }, { capabilities: { tools: {} }, cacheHints: { 'tools/list': TOOLS_CACHE } });
    server.setRequestHandler('tools/list', () => ({ tools: [...definitions] }));
    // Not a request handler of its own: the SDK would check the arguments before the pipeline can, in
    // words that no model can act on, and parse every answer once more.
    server.fallbackRequestHandler = async ({ method, params }, context) => {
      if (method !== 'tools/call') throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 64)}`);
      const approval = await callApproval(server, retries, context);
      return { ...(await track(answer(params, sdkContext(context), approval))) };
    };
    return (current = server);
  };

  const approval = (): CallApproval | undefined => (current === undefined ? undefined : sessionApproval(current));
  const direct: DirectAnswers = {
    isReady: () => approval() !== undefined,
    call: (params, context) => track(answer(params, context, approval() ?? NOBODY)),
  };
  const transport = directCalls(lineTransport(input, output), direct, onError);
  const connection = serveStdio(createServer, { transport, onerror: onError });
  const close = (): void => void connection.close();
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
  await transport.closed;
  signal.removeEventListener('abort', close);
  await Promise.allSettled(running);
}
