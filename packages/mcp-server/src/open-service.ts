import { Server, type InputRequiredResult, type JSONRPCRequest, type ServerContext } from '@modelcontextprotocol/server';
import { slimSchema, ToolRegistry, type DialectHands, type DialectToolDescription, type Hands } from '@synapse/hands';
import { retryApprovals } from './approval/ask-by-retry.ts';
import type { CallApproval } from './approval/call-approval.ts';
import { callApproval } from './approval/client-approvals.ts';
import { sdkContext, type CallContext } from './call-context.ts';
import { callDialect } from './call-dialect.ts';
import type { McpCallResult } from './call-result.ts';
import { callTool } from './call-tool.ts';
import { contextCapabilities, offerContext } from './context/offer-context.ts';
import { RpcError } from './rpc-error.ts';
import type { ServiceOptions } from './run-mcp-server.ts';
import { chooseTools } from './tool-presets.ts';

/** The list is fixed for as long as the process lives; five minutes let a client see what an upgrade brings. */
const TOOLS_CACHE = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;
/** JSON-RPC 2.0. */
const METHOD_NOT_FOUND = -32601;

/** Answers `tools/call`. @param sessionId of the call, for the records */
type AnswerCall = (
  params: JSONRPCRequest['params'],
  context: CallContext,
  approval: CallApproval,
  sessionId: string,
) => Promise<McpCallResult | InputRequiredResult>;

/** What a server offers, and how it answers a call of it. */
interface Served {
  readonly definitions: readonly DialectToolDescription[];
  /** Whether a canonical tool is among them. */
  readonly offers: (name: string) => boolean;
  readonly call: AnswerCall;
}

function canonicalTools(hands: Hands, tools: 'all' | readonly string[], onError: (error: Error) => void): Served {
  const all = new ToolRegistry(hands.tools());
  const offered = tools === 'all' ? undefined : new ToolRegistry(chooseTools(all.describe(), tools).map(({ name }) => all.get(name)));
  const names = new Set((offered ?? all).list().map(({ name }) => name));
  return {
    definitions: (offered ?? all).describe(),
    offers: (name) => names.has(name),
    call: (...request) => callTool({ hands, offered, onError }, ...request),
  };
}

function dialectTools(dialect: DialectHands, tools: 'all' | readonly string[], onError: (error: Error) => void): Served {
  const offered = chooseTools(dialect.tools(), tools, ` in ${dialect.name}`);
  const withheld = new Set(dialect.tools().map((tool) => tool.name)).difference(new Set(offered.map((tool) => tool.name)));
  return {
    definitions: offered.map((tool) => {
      const { native: _, inputSchema, ...rest } = tool;
      return { ...rest, inputSchema: { ...slimSchema(inputSchema), type: 'object' as const } };
    }),
    // The canonical tools have other names here: where some of the dialect's are withheld, none of them counts as offered.
    offers: () => withheld.size === 0,
    call: (...request) => callDialect({ dialect, withheld, onError }, ...request),
  };
}

/** What every door of MCP serves, over whatever wire. */
export interface McpService {
  /** A server for one connection. @param sessionId of its calls, for the records */
  createServer(sessionId: string): Server;
  /** Answers a call that did not come through such a server. */
  readonly answer: AnswerCall;
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
  const running = new Set<Promise<unknown>>();
  const retries = retryApprovals();
  const capabilities = { tools: {}, ...contextCapabilities({ prompts, resources }) };
  const tracked = async <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  };

  const createServer = (sessionId: string): Server => {
    const server = new Server({ name, version }, { capabilities, cacheHints: { 'tools/list': TOOLS_CACHE } });
    server.setRequestHandler('tools/list', () => ({ tools: [...served.definitions] }));
    offerContext(server, { prompts, resources, sessionId, ending, tracked });
    // Not a request handler of its own: the SDK would check the arguments before the pipeline can, in
    // words that no model can act on, and parse every answer once more.
    server.fallbackRequestHandler = async ({ method, params }, given) => {
      if (method !== 'tools/call') throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 64)}`);
      const context = endingWith(given, ending);
      const answered = callApproval(server, retries, context).then((approval) => served.call(params, sdkContext(context), approval, sessionId));
      return { ...(await tracked(answered)) };
    };
    return server;
  };
  return {
    createServer,
    answer: (...call) => tracked(served.call(...call)),
    running: () => running.size,
    ended: async () => void (await Promise.allSettled(running)),
  };
}
