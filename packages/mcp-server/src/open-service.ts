import { Server, type GetPromptResult, type ReadResourceResult, type ServerContext } from '@modelcontextprotocol/server';
import type { OfferChange } from '@synapse/hands/internal';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { retryApprovals } from './approval/ask-by-retry.ts';
import { ClientQuestions, isAskedByRetry, CANNOT_ASK } from './approval/client-approvals.ts';
import { clientOf } from './call-context.ts';
import type { McpCallResult } from './call-tool.ts';
import { contextCapabilities, offerContext } from './context/offer-context.ts';
import { UpstreamContext } from './context/upstream-context.ts';
import { RpcError } from './rpc-error.ts';
import type { ServiceOptions } from './mcp-offer.ts';
import { FIXED_FOLDER, openFolders, type OpenFolders } from './open-folders.ts';
import { asksForPrograms, canonicalTools, dialectTools, elsewhereTools, withMaxOutput, type AnswerCall, type ServedTools } from './served-tools.ts';
import type { StartedCalls } from './started-calls.ts';
import { isAskedFor } from './tool-presets.ts';

/** Milliseconds a client may cache the list. A fixed list lasts as long as the process; the limit makes upgrades visible. */
const TOOLS_CACHE = { fixed: { ttlMs: 5 * 60_000, cacheScope: 'private' }, changing: { ttlMs: 0, cacheScope: 'private' } } as const;
/** Milliseconds until upstream servers must have accepted the subscriptions of a client. */
const LISTEN_MS = 10_000;
/** A subscription request of a client of 2026-07-28. */
const LISTEN = z.object({
  method: z.literal('subscriptions/listen'),
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()).max(200).default([]) }) }),
});
/** Milliseconds that the first tool list waits for upstream servers; some clients allow ten seconds for a start. */
const FIRST_LIST_MS = 5_000;
/** JSON-RPC 2.0. */
const METHOD_NOT_FOUND = -32601;

/** A change of what is served. */
export type ServiceChange = { readonly kind: 'tools' } | OfferChange;

/** The MCP service behind every transport. */
export interface McpService {
  /**
   * Creates a server for one connection.
   *
   * @param sessionId of its calls, for the records
   * @param started calls that already run when the server receives them
   */
  createServer(sessionId: string, started?: StartedCalls): Server;
  /** Cancels every call that comes through a server. */
  readonly ending: AbortSignal | undefined;
  /** The folder the server works in; calls of {@link answer} do not wait for it. */
  readonly folders: OpenFolders;
  /** Answers a call that did not come through such a server. */
  readonly answer: AnswerCall;
  /** Registers a listener for changes of what is served. Returns a function that removes it. */
  onChanged(listener: (change: ServiceChange) => void): () => void;
  /** Notifies the client of a server, if it subscribed to the change. */
  tell(server: Server, sessionId: string, change: ServiceChange): Promise<void>;
  /** Subscribes to resources of upstream servers, for a client of 2026-07-28 that listens to their changes. */
  listen(body: unknown, sessionId: string): Promise<void>;
  /** Cancels the calls that wait for a client to return. */
  abandon(): void;
  /** Ends the calls and subscriptions of a session whose client disconnected. */
  endSession(sessionId: string): Promise<void>;
  /** Returns the number of running calls. */
  running(): number;
  /** Resolves when all calls that run now have ended. */
  ended(): Promise<void>;
}

/** Resolves with the work or after the timeout. */
async function within(work: Promise<void>, milliseconds: number): Promise<void> {
  const waiting = new AbortController();
  const late = delay(milliseconds, undefined, { signal: waiting.signal, ref: false }).catch(() => {
    // It finished in time.
  });
  try {
    await Promise.race([work, late]);
  } finally {
    waiting.abort();
  }
}

/** Waits for the tools of upstream servers once: some clients list the tools once, so they must be there. */
function firstLists(settled: () => Promise<void>): () => Promise<void> {
  let connected: Promise<void> | undefined;
  return async () => await (connected ??= within(settled(), FIRST_LIST_MS));
}

/** Adds the end of the server to the signal of a request. */
function endingWith(context: ServerContext, ending: AbortSignal | undefined): ServerContext {
  if (ending === undefined) return context;
  return { ...context, mcpReq: { ...context.mcpReq, signal: AbortSignal.any([context.mcpReq.signal, ending]) } };
}

/** Returns the tools of the hands, and their instructions. */
function open({ hands, tools, dialect, chooseFolder, onError }: ServiceOptions): {
  readonly served: ServedTools;
  /** Whether tools can change: with MCP servers, or if the folder can change, which may have other servers. */
  readonly changing: boolean;
  /** Resolves when the first tool list of every MCP server has arrived or failed. */
  readonly settled: () => Promise<void>;
  readonly instructions: string | undefined;
} {
  if ('about' in hands) {
    return {
      served: elsewhereTools(hands, tools, onError),
      changing: false,
      settled: async () => {},
      instructions: hands.about.constraints.join('\n'),
    };
  }
  const shared = { changing: hands.mcp.list().length > 0 || chooseFolder !== undefined, settled: () => hands.mcp.settled() };
  if (dialect !== undefined) return { ...shared, served: dialectTools(hands.dialect(dialect), tools, onError), instructions: undefined };
  // Its tool names are ours; whether a user can be asked depends on each client.
  return { ...shared, served: canonicalTools(hands, tools, onError), instructions: hands.constraints({ canAsk: true }).join('\n') };
}

/** The calls that run. */
class RunningCalls {
  readonly #running = new Set<Promise<unknown>>();

  get size(): number {
    return this.#running.size;
  }

  async track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  /** Resolves when all that run now have ended. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

/** The resources of upstream servers to which clients subscribed, by session. */
class Subscriptions {
  readonly #upstream: UpstreamContext | undefined;
  readonly #onError: ServiceOptions['onError'];
  readonly #watchedBy = new Map<string, Set<string>>();

  constructor(upstream: UpstreamContext | undefined, onError: ServiceOptions['onError']) {
    this.#upstream = upstream;
    this.#onError = onError;
  }

  /** The URIs to which a session subscribed, to be added to. */
  of(sessionId: string): Set<string> {
    const watched = this.#watchedBy.get(sessionId) ?? new Set<string>();
    this.#watchedBy.set(sessionId, watched);
    return watched;
  }

  /** See {@link McpService.tell}. */
  async tell(server: Server, sessionId: string, change: ServiceChange): Promise<void> {
    if (change.kind === 'tools') await server.sendToolListChanged();
    else if (change.kind === 'prompts') await server.sendPromptListChanged();
    else if (change.kind === 'resources') await server.sendResourceListChanged();
    else if (isAskedByRetry(server) || this.#watchedBy.get(sessionId)?.has(change.uri) === true)
      await server.sendResourceUpdated({ uri: change.uri });
  }

  /** See {@link McpService.listen}. */
  async listen(body: unknown, sessionId: string): Promise<void> {
    const { data } = LISTEN.safeParse(body);
    const request = { context: { signal: AbortSignal.timeout(LISTEN_MS), report: undefined, client: {} }, approval: CANNOT_ASK, sessionId };
    for (const uri of data?.params.notifications.resourceSubscriptions ?? []) await this.#upstream?.watch(uri, request).catch(this.#onError);
  }

  async end(sessionId: string): Promise<void> {
    const watched = this.#watchedBy.get(sessionId) ?? [];
    this.#watchedBy.delete(sessionId);
    await Promise.allSettled([...watched].map(async (uri) => await this.#upstream?.unwatch(uri)));
  }
}

/**
 * Opens hands for MCP.
 *
 * @param ending cancels and answers every call that comes through a server; without it, calls end with their connection
 * @throws SynapseError `unknown_tool` if `tools` names an unknown tool
 */
export function openService(options: ServiceOptions, ending?: AbortSignal): McpService {
  const { hands, name, version, tools, prompts, dialect } = options;
  const { served: all, changing, settled, instructions } = open(options);
  const served = withMaxOutput(all, options.maxOutput);
  const resources = options.resources.filter(({ uses }) => uses.every(served.offers));
  const mayHearOf = tools === 'all' ? (): boolean => true : served.offers;
  const running = new RunningCalls();
  const retries = retryApprovals();
  const folders = options.chooseFolder && openFolders(options.chooseFolder);
  const local = 'about' in hands ? undefined : hands;
  const isOffered = (tool: string): boolean => tools === 'all' || isAskedFor({ name: tool }, tools);
  const upstream = local === undefined || !changing ? undefined : new UpstreamContext(local, isOffered, options.onError);
  const offered = { prompts, resources, upstream };
  const capabilities = { tools: changing ? { listChanged: true } : {}, ...contextCapabilities(offered) };
  const calls = new ClientQuestions<McpCallResult>(retries);
  const prompted = new ClientQuestions<GetPromptResult>(retries);
  const readings = new ClientQuestions<ReadResourceResult>(retries);
  const subscriptions = new Subscriptions(upstream, options.onError);
  const connecting = changing ? firstLists(settled) : async (): Promise<void> => {};

  const createServer = (sessionId: string, started?: StartedCalls): Server => {
    const server = new Server(
      { name, version },
      {
        capabilities,
        ...(instructions === undefined ? {} : { instructions }),
        cacheHints: { 'tools/list': TOOLS_CACHE[changing ? 'changing' : 'fixed'] },
      },
    );
    folders?.watch(server);
    server.setRequestHandler('tools/list', async (_, context) => {
      await folders?.chosen(server);
      await connecting();
      return { tools: [...served.definitions(clientOf(context, server))] };
    });
    const inFolder = async <T>(work: () => Promise<T>): Promise<T> => {
      await folders?.chosen(server);
      await connecting();
      return await running.track(work());
    };
    const withEnding = (context: ServerContext): ServerContext => endingWith(context, ending);
    offerContext(server, offered, { sessionId, mayHearOf, ending: withEnding, inFolder, prompted, readings, watched: subscriptions.of(sessionId) });
    // Not a request handler: the SDK would check the arguments before the pipeline, with errors that
    // do not help a model, and would parse every result again.
    server.fallbackRequestHandler = async ({ method, params }, given) => {
      if (method !== 'tools/call') throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 64)}`);
      const early = started?.take(given.mcpReq.id, given.mcpReq.signal);
      if (early !== undefined) return { ...(await early) };
      const context = endingWith(given, ending);
      await folders?.chosen(server);
      const answered = calls.answer(server, context, (known, approval) => served.call(params, known, approval, sessionId));
      return { ...(await running.track(answered)) };
    };
    return server;
  };
  // After the first messages were read.
  setImmediate(() => local?.warmUp({ programs: dialect === undefined && asksForPrograms(local, tools) }));
  return {
    createServer,
    ending,
    folders: folders ?? FIXED_FOLDER,
    answer: (...call) => running.track(served.call(...call)),
    onChanged(listener) {
      if (local === undefined) return () => {};
      const stops = [local.onToolsChanged(() => listener({ kind: 'tools' })), local.mcp.offers.onChanged(listener)];
      return () => stops.forEach((stop) => stop());
    },
    tell: (server, sessionId, change) => subscriptions.tell(server, sessionId, change),
    listen: (body, sessionId) => subscriptions.listen(body, sessionId),
    abandon() {
      for (const questions of [calls, prompted, readings]) questions.abandon();
    },
    async endSession(sessionId) {
      await subscriptions.end(sessionId);
      await local?.endSession(sessionId);
    },
    running: () => running.size,
    ended: () => running.ended(),
  };
}
