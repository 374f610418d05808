import { createMcpHandler, isInitializeRequest, isJSONRPCRequest, isLegacyRequest, type AuthInfo } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import type { McpService } from '../open-service.ts';
import { errorBody, sendJson, sendResponse } from './respond.ts';
import { openSessions } from './sessions.ts';
import { mayAnswerSoon } from './soon-answers.ts';

/** Maximum number of concurrent calls of all clients. */
const MAX_RUNNING = 64;
/** Maximum number of concurrent change streams of clients of the 2026 protocol. */
const MAX_LISTENERS = 64;
/** Server-defined codes in JSON-RPC; the second is the SDK's code for a missing session. */
const REFUSED = -32_000;
const NO_SESSION = -32_001;
/** JSON-RPC: invalid request. */
const INVALID = -32_600;
/** Seconds until a refused client may try again. */
const RETRY_AFTER = { 'retry-after': '1' } as const;

/** An admitted request, with its message if it has one. */
export interface AdmittedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: unknown;
  /** Headers for every response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers the requests of both protocol generations. */
export interface RequestAnswerer {
  answer(admitted: AdmittedRequest): Promise<void>;
  /** Ends every stream and cancels every call. */
  close(): Promise<void>;
}

/** Converts a request for the SDK. Drops the token, which is not needed beyond this point. */
function webRequest({ method = 'GET', headers }: IncomingMessage, signal: AbortSignal): Request {
  const kept = Object.entries(headers).filter(([name]) => name !== 'authorization' && name !== 'cookie');
  const copied = new Headers();
  for (const [name, value] of kept) if (value !== undefined) copied.set(name, Array.isArray(value) ? value.join(', ') : value);
  return new Request('http://localhost/mcp', { method, headers: copied, signal });
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Aborts when the client disconnects before it has the whole response. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** A "method not found" error, which has an HTTP status since 2026-07-28. */
const NO_METHOD = z.object({ error: z.object({ code: z.literal(-32_601) }) });

/** Sets the status for unknown methods, for which the SDK returns 200. */
async function withMethodStatus(answer: Response, body: unknown): Promise<Response> {
  // Most requests are calls, whose method exists.
  if (answer.status !== 200 || (isJSONRPCRequest(body) && body.method === 'tools/call')) return answer;
  if (answer.headers.get('content-type')?.startsWith('application/json') !== true) return answer;
  const text = await answer.text();
  const { success: isUnknown } = NO_METHOD.safeParse(parsedJson(text));
  return new Response(text, { status: isUnknown ? 404 : 200, headers: answer.headers });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Clients of the 2025 protocols have sessions. As the specification says, a broken connection cancels nothing there:
 * the call continues, and its result is kept for the client to fetch later. Clients of 2026-07-28 have no sessions:
 * nothing is kept for them, and closing the connection cancels the request.
 */
export function requestAnswerer(service: McpService, principal: string, onError: (error: Error) => void): RequestAnswerer {
  const authInfo: AuthInfo = { token: '', clientId: principal, scopes: [] };
  const sessions = openSessions(service);
  const statelessId = randomUUID();
  const modern = createMcpHandler(() => service.createServer(statelessId), { legacy: 'reject', onerror: onError, maxSubscriptions: MAX_LISTENERS });
  const { notify } = modern;
  const stopListening = service.onChanged((change) => {
    if (change.kind === 'tools') notify.toolsChanged();
    else if (change.kind === 'prompts') notify.promptsChanged();
    else if (change.kind === 'resources') notify.resourcesChanged();
    else notify.resourceUpdated(change.uri);
  });

  async function answerInSession({ request, response, body, headers }: AdmittedRequest, web: () => Request): Promise<void> {
    const id = headerOf(request, 'mcp-session-id');
    if (id === undefined && !isInitializeRequest(body)) {
      sendJson(response, 400, errorBody(REFUSED, 'Mcp-Session-Id is missing. Begin with initialize.'), headers);
      return;
    }
    const session = id === undefined ? await sessions.open() : sessions.find(id);
    if (session === undefined) {
      if (id === undefined) sendJson(response, 503, errorBody(REFUSED, 'All sessions are in use. Try again soon.'), { ...headers, ...RETRY_AFTER });
      else sendJson(response, 404, errorBody(NO_SESSION, 'Session not found. Begin another with initialize.'), headers);
      return;
    }
    const used = session.ids.take(body);
    if (used !== undefined) {
      sendJson(response, 400, errorBody(INVALID, 'Another request of this session had this id. Give each its own.', used), headers);
      return;
    }
    using _held = session.hold();
    if (id !== undefined && mayAnswerSoon(body, request.headers.accept)) {
      const answer = await session.answerSoon(body, headerOf(request, 'mcp-protocol-version'));
      if (answer !== undefined) {
        sendJson(response, 200, JSON.stringify(answer), { ...headers, 'mcp-session-id': id });
        return;
      }
    }
    await sendResponse(response, await session.handle(web(), body, authInfo), headers);
  }

  return {
    async answer(admitted) {
      const { request, response, body, headers } = admitted;
      // Answers to questions and cancellations must get through, regardless of the load.
      if (service.running() >= MAX_RUNNING && isJSONRPCRequest(body)) {
        sendJson(response, 503, errorBody(REFUSED, `${MAX_RUNNING} calls are running. Try again soon.`, body.id), { ...headers, ...RETRY_AFTER });
        return;
      }
      // Detecting the protocol generation costs as much as a small call.
      if (headerOf(request, 'mcp-session-id') !== undefined && mayAnswerSoon(body, request.headers.accept)) {
        await answerInSession(admitted, () => webRequest(request, goneSignal(response)));
        return;
      }
      const web = webRequest(request, goneSignal(response));
      if (await isLegacyRequest(web, body)) await answerInSession(admitted, () => web);
      else {
        if (isJSONRPCRequest(body) && body.method === 'subscriptions/listen') await service.listen(body, statelessId);
        await sendResponse(response, await withMethodStatus(await modern.fetch(web, { parsedBody: body, authInfo }), body), headers);
      }
    },
    async close() {
      stopListening();
      service.abandon();
      await Promise.all([sessions.close(), modern.close()]);
    },
  };
}
