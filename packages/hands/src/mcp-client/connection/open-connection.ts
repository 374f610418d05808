import type * as McpSdk from '@modelcontextprotocol/client';
import type { Client, ClientOptions, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HttpLaunch, ServerConfig, StdioLaunch } from '../config/server-config.ts';
import { boundedFetch } from '../http/bounded-fetch.ts';
import { loginFor, notingScopes } from '../oauth/login-fetch.ts';
import type { LoginStore } from '../oauth/login-store.ts';
import { FloodGauge } from '../stdio/flood-gauge.ts';
import type { ServerLog } from '../stdio/server-log.ts';
import type { ServerProcesses } from '../stdio/server-processes.ts';
import { stdioTransport } from '../stdio/stdio-transport.ts';
import { serverName } from '../tool-name.ts';
import type { Connection, ConnectionEvents, TransportKind } from './connection.ts';
import { connectedClient, NO_TIMEOUT_MS, type Opened } from './connected-client.ts';
import { until } from '../../events/timing.ts';
import { CallsUnderWay, putQuestion } from './questions.ts';
import { httpStatus, isGone, isModernOnly, isNegotiationFailure, refusesAccess } from './remote-error.ts';

/** Minimum size in bytes counted for an unrequested message; over HTTP, sizes are limited where messages are read. */
const MESSAGE_BYTES = 256;

type Id = string | number;

function idOf(message: JSONRPCMessage): Id | undefined {
  return 'id' in message && (typeof message.id === 'string' || typeof message.id === 'number') ? message.id : undefined;
}

/**
 * Monitors a transport of the SDK: counts unrequested messages, and fails a request whose stream ends
 * without an answer at once instead of at its deadline.
 */
function watchTransport<Watched extends Transport>(transport: Watched, gauge: FloodGauge, onLost: (reason: string) => void): Watched {
  const asked = new Set<Id>();
  const lose = (reason: string): void => {
    onLost(reason);
    // Fails all pending requests now.
    void transport.close();
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const id = 'method' in message ? idOf(message) : undefined;
    if (id === undefined) return await send(message, options);
    asked.add(id);
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      if (asked.delete(id)) lose('ended an answer before it was complete');
    };
    try {
      await send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      asked.delete(id);
      throw error;
    }
  };
  const onmessage = (message: JSONRPCMessage): void => {
    const id = 'method' in message ? undefined : idOf(message);
    if (id !== undefined && asked.delete(id)) return;
    if (!gauge.take(MESSAGE_BYTES)) lose('sent far more than anybody asked for');
  };
  // The SDK calls this handler before its internal one.
  return Object.assign(transport, { onmessage });
}

/** Milliseconds in which changes are collected before the list is read again. */
const CHANGES_MS = 250;
/** Delays in milliseconds. A broken stream may be resumable; the first attempt shows whether the server is gone. */
const RECONNECTION = { initialReconnectionDelay: 200, reconnectionDelayGrowFactor: 2, maxReconnectionDelay: 10_000, maxRetries: 4 };
/** Status codes of old servers, which do not support POST at the URL of their stream. */
const NO_STREAMABLE_HTTP: ReadonlySet<number | undefined> = new Set([400, 404, 405, 406, 415]);
const MODERN = '2026-07-28';
/** A silent server is treated as an old one, then as a new one: each attempt gets its share of the whole time. */
const ATTEMPTS = 3;
/** Maximum number of milliseconds for a server on a pipe to report its protocol version: old ones may not answer at all. */
const MAX_PROBE_MS = 3_000;

/** What connections are made from. */
interface ConnectionParts {
  readonly config: ServerConfig;
  readonly cwd: string;
  readonly processes: ServerProcesses;
  readonly log: ServerLog;
  readonly logins: LoginStore;
  /** The workspace, reported to servers on this machine. */
  readonly root: string;
  readonly events: ConnectionEvents;
  /** Milliseconds until the server must have initialized. */
  readonly openMs: number;
}

type Sdk = typeof McpSdk;

async function openStdio(
  sdk: Sdk,
  launch: StdioLaunch,
  parts: ConnectionParts,
  gauge: FloodGauge,
  onLost: (reason: string, lasting: boolean) => void,
): Promise<Opened> {
  const { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } = sdk;
  const process = await parts.processes.start(launch, resolve(parts.cwd, launch.cwd ?? ''));
  const transport = stdioTransport({
    process,
    log: parts.log,
    gauge,
    isMessage: (value) => isJSONRPCResponse(value) || isJSONRPCNotification(value) || isJSONRPCRequest(value),
    onLost,
  });
  return { kind: 'stdio', transport };
}

function openHttp(sdk: Sdk, { config, logins }: ConnectionParts, launch: HttpLaunch, kind: 'http' | 'sse', onGone: () => void): Opened {
  const authProvider = loginFor(sdk, serverName(config.name), launch, config.oauth, logins);
  const options = {
    requestInit: { headers: { ...launch.headers } },
    fetch: notingScopes(sdk, launch, logins, boundedFetch({ onGone })),
    reconnectionOptions: RECONNECTION,
    ...(authProvider === undefined ? {} : { authProvider }),
  };
  if (kind === 'sse') return { kind, transport: new sdk.SSEClientTransport(new URL(launch.url), options) };
  const transport = new sdk.StreamableHTTPClientTransport(new URL(launch.url), options);
  return { kind, transport, leave: () => transport.terminateSession() };
}

/** How the protocol version is found: by asking, by `initialize` alone, or by assuming the one of 2026. */
type Negotiation = 'ask' | 'initialize' | 'modern';

function negotiation(how: Negotiation, kind: TransportKind, openMs: number): ClientOptions {
  if (how === 'initialize' || kind === 'sse') return {};
  if (how === 'modern') return { versionNegotiation: { mode: { pin: MODERN } } };
  const share = openMs / ATTEMPTS;
  return { versionNegotiation: { mode: 'auto', probe: { timeoutMs: kind === 'stdio' ? Math.min(share, MAX_PROBE_MS) : share } } };
}

async function attempt(sdk: Sdk, parts: ConnectionParts, kind: TransportKind, how: Negotiation, signal: AbortSignal): Promise<Connection> {
  const { config, events, log } = parts;
  // A remote server has no use for the path, which often contains a user name.
  const roots = config.launch.kind === 'stdio' ? { uri: pathToFileURL(parts.root).href, name: basename(parts.root) } : undefined;
  const gauge = new FloodGauge();
  const { launch } = config;
  let open = false;
  let ended: { readonly reason: string; readonly lasting: boolean } | undefined;
  const lost = (reason: string, lasting = false): void => {
    ended ??= { reason, lasting };
    if (!open) return;
    open = false;
    events.onLost(reason);
  };
  const gone = (): void => {
    if (!open) return;
    lost('cannot be reached');
    void opened.transport.close();
  };
  const opened =
    launch.kind === 'stdio' ? await openStdio(sdk, launch, parts, gauge, lost) : openHttp(sdk, parts, launch, kind === 'sse' ? 'sse' : 'http', gone);
  const transport = watchTransport(opened.transport, gauge, lost);
  const changes = (kind: Parameters<ConnectionEvents['onListChanged']>[0]) => ({
    autoRefresh: false,
    debounceMs: CHANGES_MS,
    onChanged: () => events.onListChanged(kind),
  });
  const client = new sdk.Client(
    { name: 'synapse', title: 'Synapse', version: '1' },
    {
      // Sampling stays off: servers must not use the model, and its costs, through this client.
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} }, ...(roots === undefined ? {} : { roots: {} }) },
      // Untrusted schemas are never compiled; nothing here needs it.
      jsonSchemaValidator: { getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not checked' }) },
      listChanged: { tools: changes('tools'), prompts: changes('prompts'), resources: changes('resources') },
      ...negotiation(how, kind, parts.openMs),
    },
  );
  const calls = new CallsUnderWay();
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const call = calls.asking();
    // A question outside a call has no user to answer it.
    if (call === undefined) return { action: 'cancel' };
    const filled = await putQuestion(params, call);
    return filled.action === 'accept' && params.mode !== 'url' ? { action: 'accept', content: { ...filled.content } } : { action: filled.action };
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => events.onResourceUpdated(uri));
  if (roots !== undefined) client.setRequestHandler('roots/list', () => ({ roots: [roots] }));
  Object.assign(client, {
    onerror: (error: Error) => {
      log.note(error.message.slice(0, 500));
      // The library reopens a broken event stream, but the server no longer knows the session.
      if (!open || !(error instanceof sdk.SseError)) return;
      lost('closed its event stream');
      void opened.transport.close();
    },
    // Before the connection is open, the attempt itself has the better error.
    onclose: () => void (open && lost('closed the connection')),
  } satisfies Pick<Client, 'onerror' | 'onclose'>);
  try {
    await until(client.connect(transport, { timeout: NO_TIMEOUT_MS, signal }), signal);
  } catch (error) {
    await transport.close().catch(() => {
      // It was never open.
    });
    // How the process ended says more than its closed pipe.
    if (ended === undefined) throw error;
    throw new SynapseError('unavailable', `The MCP server ${serverName(config.name)} ${ended.reason}.`, { retryable: !ended.lasting, cause: error });
  }
  open = true;
  return connectedClient(client, opened, calls, () => (open = false));
}

/**
 * Starts or reaches a server and initializes the connection. Loads the SDK here, so that only users of servers pay for it.
 *
 * @param signal aborts the attempt, which then leaves nothing behind
 */
export async function openConnection(parts: ConnectionParts, signal: AbortSignal): Promise<Connection> {
  const sdk = await import('@modelcontextprotocol/client');
  const { kind } = parts.config.launch;
  const initialized = async (how: TransportKind): Promise<Connection> => {
    try {
      return await attempt(sdk, parts, how, 'initialize', signal);
    } catch (error) {
      // A busy server of 2026 may report its version too late. Over stdio, such a server already refused `initialize` above.
      if (signal.aborted || how === 'stdio' || isGone(error) || refusesAccess(error)) throw error;
      return await attempt(sdk, parts, how, 'modern', signal).catch(() => Promise.reject(error));
    }
  };
  const tryOnce = async (how: TransportKind): Promise<Connection> => {
    try {
      return await attempt(sdk, parts, how, 'ask', signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isModernOnly(error)) return await attempt(sdk, parts, how, 'modern', signal);
      // Some servers exit or fail if the first message is not `initialize`.
      if (how === 'sse' || !(isNegotiationFailure(error) || (how === 'stdio' && isSynapseError(error) && error.retryable))) throw error;
      parts.log.again();
      return await initialized(how);
    }
  };
  if (kind !== 'http') return await tryOnce(kind);
  try {
    return await tryOnce('http');
  } catch (error) {
    if (!NO_STREAMABLE_HTTP.has(httpStatus(error)) || signal.aborted) throw error;
    try {
      return await tryOnce('sse');
    } catch {
      // It is no old server either, so the first error says more.
      throw error;
    }
  }
}
