import * as z from 'zod';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { until } from '../../events/timing.ts';
import type { Connection, ListKind, RemoteCall, RemoteList, TransportKind } from './connection.ts';
import type { CallsUnderWay } from './questions.ts';

/** The maximum of a timer in milliseconds; stands for no time-out, as deadlines belong to the pipeline. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Maximum number of pages per list, and of entries on all pages. */
const MAX_PAGES = 100;
const MAX_ITEMS = 2_000;

/** Per list: its method, the field with the entries, and the server capability it needs. */
const LISTS = {
  tools: { method: 'tools/list', field: 'tools', ability: 'tools', name: 'tools' },
  prompts: { method: 'prompts/list', field: 'prompts', ability: 'prompts', name: 'prompts' },
  resources: { method: 'resources/list', field: 'resources', ability: 'resources', name: 'resources' },
  templates: { method: 'resources/templates/list', field: 'resourceTemplates', ability: 'resources', name: 'resource templates' },
} as const satisfies Record<ListKind, object>;

const PAGE = z.looseObject({ nextCursor: z.string().optional() });
const ITEMS = z.array(z.unknown());

/** Reads a list to its end or to the limit. */
async function remoteList(client: Client, kind: ListKind, signal: AbortSignal): Promise<RemoteList> {
  const { method, field, ability, name } = LISTS[kind];
  if (client.getServerCapabilities()?.[ability] === undefined) return { items: [], incomplete: undefined };
  const items: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { params: { cursor } };
    const answer = await client.request({ method, ...params }, PAGE, { signal, timeout: NO_TIMEOUT_MS });
    const { nextCursor } = answer;
    items.push(...ITEMS.parse(answer[field]).slice(0, MAX_ITEMS - items.length));
    if (nextCursor === undefined || nextCursor === '') return { items, incomplete: undefined };
    if (items.length >= MAX_ITEMS) return { items, incomplete: `only the first ${MAX_ITEMS} ${name} are taken` };
    if (seen.has(nextCursor)) return { items, incomplete: `its list of ${name} goes round in circles` };
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return { items, incomplete: `only the first ${MAX_PAGES} pages of its ${name} are read` };
}

/** Milliseconds for the request that ends a session. */
const GOODBYE_MS = 1_000;
/** From this protocol version on, changes arrive on a requested stream, and arguments may be sent in headers. */
const MODERN = '2026-07-28';

const ANSWER = z.looseObject({});

/** An open transport, and how to end its session. */
export interface Opened {
  readonly kind: TransportKind;
  readonly transport: Transport;
  /** Ends the session on the server, if there is one. */
  readonly leave?: () => Promise<void>;
}

function isModern(client: Client): boolean {
  return (client.getNegotiatedProtocolVersion() ?? '') >= MODERN;
}

/** Subscribes to resources, in the way of the server's protocol version. */
function watching(client: Client): Connection['watch'] {
  const streams = new Map<string, { close(): Promise<void> }>();
  return async (uri, isWatched, signal) => {
    if (!isModern(client)) {
      const options = { signal, timeout: NO_TIMEOUT_MS };
      await (isWatched ? client.subscribeResource({ uri }, options) : client.unsubscribeResource({ uri }, options));
      return;
    }
    await streams.get(uri)?.close();
    streams.delete(uri);
    if (isWatched) streams.set(uri, await client.listen({ resourceSubscriptions: [uri] }, { signal }));
  };
}

/** Wraps an initialized client as a connection. */
export function connectedClient(client: Client, { kind, transport, leave }: Opened, calls: CallsUnderWay, closing: () => void): Connection {
  const version = client.getServerVersion();
  const abilities = client.getServerCapabilities();
  const hasHeaders = kind === 'http' && isModern(client);
  const request = async (method: string, params: object, { signal, onProgress, headers }: RemoteCall): Promise<unknown> =>
    await client.request({ method, params: { ...params } }, ANSWER, {
      signal,
      timeout: NO_TIMEOUT_MS,
      ...(headers === undefined || !hasHeaders ? {} : { headers }),
      onprogress: ({ progress, total, message }) =>
        onProgress({ progress, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) }),
    });
  return {
    transport: kind,
    server: version === undefined ? undefined : { name: version.name, version: version.version },
    protocolVersion: client.getNegotiatedProtocolVersion(),
    hasHeaders,
    abilities: {
      prompts: abilities?.prompts !== undefined,
      resources: abilities?.resources !== undefined,
      subscribe: abilities?.resources?.subscribe === true,
      completions: abilities?.completions !== undefined,
    },
    list: (list, signal) => remoteList(client, list, signal),
    request: (method, params, call) => calls.during(call, () => request(method, params, call)),
    watch: watching(client),
    async [Symbol.asyncDispose]() {
      closing();
      if (leave !== undefined) {
        await until(leave(), AbortSignal.timeout(GOODBYE_MS)).catch(() => {
          // A session that cannot be ended times out on the server.
        });
      }
      await transport.close();
    },
  };
}
