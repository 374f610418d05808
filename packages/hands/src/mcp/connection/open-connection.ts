import type * as McpSdk from '@modelcontextprotocol/client';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { SynapseError } from '@synapse/protocol';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { ServerConfig, StdioLaunch, HttpLaunch } from '../config/server-config.ts';
import { boundedFetch } from '../http/bounded-fetch.ts';
import { FloodGauge } from '../stdio/flood-gauge.ts';
import type { ServerLog } from '../stdio/server-log.ts';
import type { ServerProcesses } from '../stdio/server-processes.ts';
import { stdioTransport } from '../stdio/stdio-transport.ts';
import { serverName } from '../tools/tool-name.ts';
import type { Connection, ConnectionEvents, RemoteTools, TransportKind } from './connection.ts';
import { httpStatus, isModernOnly } from './remote-error.ts';
import { watchTransport } from './watched-transport.ts';

/** Deadlines belong to the pipeline; the longest that a timer takes stands for none. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** How long a session may take to hear that we leave, in milliseconds. */
const GOODBYE_MS = 1_000;
/** Pages of one list, and tools on all of them. */
const MAX_PAGES = 100;
const MAX_TOOLS = 2_000;
/** How long changes are collected before the list is read again, in milliseconds. */
const CHANGES_MS = 250;
/** A stream that was cut may be taken up again; a server that is gone is noticed with the first try. In milliseconds. */
const RECONNECTION = { initialReconnectionDelay: 200, reconnectionDelayGrowFactor: 2, maxReconnectionDelay: 10_000, maxRetries: 4 };
/** Answers of old servers, which know no POST where their stream is. */
const NO_STREAMABLE_HTTP: ReadonlySet<number | undefined> = new Set([400, 404, 405, 406, 415]);
const MODERN = '2026-07-28';

/** What connections are made with. */
export interface ConnectionParts {
  readonly config: ServerConfig;
  readonly cwd: string;
  readonly processes: ServerProcesses;
  readonly log: ServerLog;
  readonly events: ConnectionEvents;
}

type Sdk = typeof McpSdk;

const PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const ANSWER = z.looseObject({});

interface Opened {
  readonly kind: TransportKind;
  readonly transport: Transport;
  /** Says goodbye where there is a session to leave. */
  readonly leave?: () => Promise<void>;
}

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

function openHttp(sdk: Sdk, launch: HttpLaunch, kind: 'http' | 'sse', onGone: () => void): Opened {
  const options = { requestInit: { headers: { ...launch.headers } }, fetch: boundedFetch({ onGone }), reconnectionOptions: RECONNECTION };
  if (kind === 'sse') return { kind, transport: new sdk.SSEClientTransport(new URL(launch.url), options) };
  const transport = new sdk.StreamableHTTPClientTransport(new URL(launch.url), options);
  return { kind, transport, leave: () => transport.terminateSession() };
}

/** A promise that the signal ends, whatever it waits for. */
async function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function attempt(sdk: Sdk, parts: ConnectionParts, kind: TransportKind, modern: boolean, signal: AbortSignal): Promise<Connection> {
  const { config, events, log } = parts;
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
    launch.kind === 'stdio' ? await openStdio(sdk, launch, parts, gauge, lost) : openHttp(sdk, launch, kind === 'sse' ? 'sse' : 'http', gone);
  const transport = watchTransport(opened.transport, gauge, lost);
  const client = new sdk.Client(
    { name: 'synapse', title: 'Synapse', version: '1' },
    {
      capabilities: {},
      // Schemas of strangers are never compiled; nothing here asks for that.
      jsonSchemaValidator: { getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not checked' }) },
      listChanged: { tools: { autoRefresh: false, debounceMs: CHANGES_MS, onChanged: () => events.onToolsChanged() } },
      ...(modern ? { versionNegotiation: { mode: { pin: MODERN } } } : {}),
    },
  );
  Object.assign(client, {
    onerror: (error: Error) => {
      log.note(error.message.slice(0, 500));
      // An event stream that broke is opened again by its library, to a server that has forgotten us.
      if (!open || !(error instanceof sdk.SseError)) return;
      lost('closed its event stream');
      void opened.transport.close();
    },
    // While it is not open yet, the attempt itself knows better why it failed.
    onclose: () => void (open && lost('closed the connection')),
  } satisfies Pick<Client, 'onerror' | 'onclose'>);
  try {
    await until(client.connect(transport, { timeout: NO_TIMEOUT_MS, signal }), signal);
  } catch (error) {
    await transport.close().catch(() => {
      // It never was open.
    });
    // How a process ended says more than that its pipe was closed.
    if (ended === undefined) throw error;
    throw new SynapseError('unavailable', `The MCP server ${serverName(config.name)} ${ended.reason}.`, { retryable: !ended.lasting, cause: error });
  }
  open = true;
  return connectionOf(client, opened, () => (open = false));
}

function connectionOf(client: Client, { kind, transport, leave }: Opened, closing: () => void): Connection {
  const version = client.getServerVersion();
  return {
    transport: kind,
    server: version === undefined ? undefined : { name: version.name, version: version.version },
    protocolVersion: client.getNegotiatedProtocolVersion(),
    listTools: (signal) => listTools(client, signal),
    async call(tool, input, { signal, onProgress }) {
      return await client.request({ method: 'tools/call', params: { name: tool, arguments: { ...input } } }, ANSWER, {
        signal,
        timeout: NO_TIMEOUT_MS,
        onprogress: ({ progress, total, message }) =>
          onProgress({ progress, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) }),
      });
    },
    async [Symbol.asyncDispose]() {
      closing();
      if (leave !== undefined) {
        await until(leave(), AbortSignal.timeout(GOODBYE_MS)).catch(() => {
          // A session that cannot be left ends by itself.
        });
      }
      await transport.close();
    },
  };
}

async function listTools(client: Client, signal: AbortSignal): Promise<RemoteTools> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], incomplete: undefined };
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { params: { cursor } };
    const { tools: some, nextCursor } = await client.request({ method: 'tools/list', ...params }, PAGE, { signal, timeout: NO_TIMEOUT_MS });
    tools.push(...some.slice(0, MAX_TOOLS - tools.length));
    if (nextCursor === undefined || nextCursor === '') return { tools, incomplete: undefined };
    if (tools.length >= MAX_TOOLS) return { tools, incomplete: `only the first ${MAX_TOOLS} tools are taken` };
    if (seen.has(nextCursor)) return { tools, incomplete: 'its list of tools goes round in circles' };
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return { tools, incomplete: `only the first ${MAX_PAGES} pages of its tools are read` };
}

/**
 * Starts or reaches a server and says hello. The SDK is loaded here: who has no servers does not pay for it.
 *
 * @param signal ends the attempt; nothing of it is left then
 */
export async function openConnection(parts: ConnectionParts, signal: AbortSignal): Promise<Connection> {
  const sdk = await import('@modelcontextprotocol/client');
  const { kind } = parts.config.launch;
  const tryOnce = async (how: TransportKind): Promise<Connection> => {
    try {
      return await attempt(sdk, parts, how, false, signal);
    } catch (error) {
      if (!isModernOnly(error) || signal.aborted) throw error;
      return await attempt(sdk, parts, how, true, signal);
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
      // Then it is no old server either, and the first answer tells more.
      throw error;
    }
  }
}
