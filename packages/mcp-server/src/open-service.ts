import { Server, type ServerContext } from '@modelcontextprotocol/server';
import { retryApprovals } from './approval/ask-by-retry.ts';
import { callApproval } from './approval/client-approvals.ts';
import { sdkContext } from './call-context.ts';
import { contextCapabilities, offerContext } from './context/offer-context.ts';
import { RpcError } from './rpc-error.ts';
import type { ServiceOptions } from './run-mcp-server.ts';
import { canonicalTools, dialectTools, type AnswerCall } from './served-tools.ts';
import type { StartedCalls } from './started-calls.ts';

/** Milliseconds for which a client may keep the list. A list that is fixed while the process lives: long enough to see what an upgrade brings. */
const TOOLS_CACHE = { fixed: { ttlMs: 5 * 60_000, cacheScope: 'private' }, changing: { ttlMs: 0, cacheScope: 'private' } } as const;
/** JSON-RPC 2.0. */
const METHOD_NOT_FOUND = -32601;

/** What every door of MCP serves, over whatever wire. */
export interface McpService {
  /**
   * A server for one connection.
   *
   * @param sessionId of its calls, for the records
   * @param started calls that run already when the server hears of them
   */
  createServer(sessionId: string, started?: StartedCalls): Server;
  /** Cancels every call that comes through a server. */
  readonly ending: AbortSignal | undefined;
  /** Answers a call that did not come through such a server. */
  readonly answer: AnswerCall;
  /** Hears whenever the tools have changed. Returns a function that ends that. */
  onToolsChanged(listener: () => void): () => void;
  /** Ends what goes on of a session whose client has gone. */
  endSession(sessionId: string): Promise<void>;
  /** How many calls run. */
  running(): number;
  /** Settles once every call has ended that runs now. */
  ended(): Promise<void>;
}

/** A request that ends with the server, too. */
function endingWith(context: ServerContext, ending: AbortSignal | undefined): ServerContext {
  if (ending === undefined) return context;
  return { ...context, mcpReq: { ...context.mcpReq, signal: AbortSignal.any([context.mcpReq.signal, ending]) } };
}

/**
 * Opens hands for MCP.
 *
 * @param ending cancels every call that comes through a server, each of which is answered so; without it they end with their connection
 * @throws SynapseError `unknown_tool` where `tools` names one that there is not
 */
export function openService(options: ServiceOptions, ending?: AbortSignal): McpService {
  const { hands, name, version, tools, dialect, prompts, onError } = options;
  const served = dialect === undefined ? canonicalTools(hands, tools, onError) : dialectTools(hands.dialect(dialect), tools, onError);
  const resources = options.resources.filter(({ uses }) => uses.every(served.offers));
  const mayHearOf = tools === 'all' ? (): boolean => true : served.offers;
  const running = new Set<Promise<unknown>>();
  const retries = retryApprovals();
  // Only where there are MCP servers do the tools ever change.
  const changing = hands.mcp.list().length > 0;
  const capabilities = { tools: changing ? { listChanged: true } : {}, ...contextCapabilities({ prompts, resources }) };
  const tracked = async <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  };

  // The names of tools in it are ours; who asks is for each client to say.
  const instructions = dialect === undefined ? { instructions: hands.constraints({ canAsk: true }).join('\n') } : {};
  const createServer = (sessionId: string, started?: StartedCalls): Server => {
    const server = new Server(
      { name, version },
      { capabilities, ...instructions, cacheHints: { 'tools/list': TOOLS_CACHE[changing ? 'changing' : 'fixed'] } },
    );
    server.setRequestHandler('tools/list', () => ({ tools: [...served.definitions()] }));
    offerContext(server, { prompts, resources, sessionId, mayHearOf, ending, tracked });
    // Not a request handler of its own: the SDK would check the arguments before the pipeline can, in
    // words that no model can act on, and parse every answer once more.
    server.fallbackRequestHandler = async ({ method, params }, given) => {
      if (method !== 'tools/call') throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 64)}`);
      const running = started?.take(given.mcpReq.id, given.mcpReq.signal);
      if (running !== undefined) return { ...(await running) };
      const context = endingWith(given, ending);
      const answered = callApproval(server, retries, context).then((approval) => served.call(params, sdkContext(context), approval, sessionId));
      return { ...(await tracked(answered)) };
    };
    return server;
  };
  return {
    createServer,
    ending,
    answer: (...call) => tracked(served.call(...call)),
    onToolsChanged: (listener) => hands.onToolsChanged(listener),
    endSession: (sessionId) => hands.endSession(sessionId),
    running: () => running.size,
    ended: async () => void (await Promise.allSettled(running)),
  };
}
