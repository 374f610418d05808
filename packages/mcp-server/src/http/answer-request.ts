import { createMcpHandler, isInitializeRequest, isJSONRPCRequest, isLegacyRequest, type AuthInfo } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpService } from '../open-service.ts';
import { errorBody, sendJson, sendResponse } from './respond.ts';
import { openSessions } from './sessions.ts';
import { mayAnswerSoon } from './soon-answers.ts';

/** Calls at once, of all clients together. */
const MAX_RUNNING = 64;
/** Streams of changes at once that clients of the 2026 protocol listen to. */
const MAX_LISTENERS = 64;
/** JSON-RPC leaves these to servers; the second is the SDK's for a session that is gone. */
const REFUSED = -32_000;
const NO_SESSION = -32_001;
/** JSON-RPC: not a valid request. */
const INVALID = -32_600;
/** Seconds after which a client that was refused may try again. */
const RETRY_AFTER = { 'retry-after': '1' } as const;

/** A request that was let in, with its message where it has one. */
export interface AdmittedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: unknown;
  /** For every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers the requests of both protocol eras. */
export interface RequestAnswerer {
  answer(admitted: AdmittedRequest): Promise<void>;
  /** Ends every stream and cancels every call. */
  close(): Promise<void>;
}

/** The request as the SDK takes it. The token stays behind: nothing further in has a use for it. */
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

/** Aborted when the client leaves before it has the whole answer. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/**
 * Clients of the 2025 protocols have sessions. There, by the specification, a connection that breaks cancels nothing:
 * the call goes on, and its answer is kept for the client to come back for. Clients of 2026-07-28 have none, nothing
 * is kept for them, and a request whose connection ends is cancelled.
 */
export function requestAnswerer(service: McpService, principal: string, onError: (error: Error) => void): RequestAnswerer {
  const authInfo: AuthInfo = { token: '', clientId: principal, scopes: [] };
  const sessions = openSessions(service);
  const statelessId = randomUUID();
  const modern = createMcpHandler(() => service.createServer(statelessId), { legacy: 'reject', onerror: onError, maxSubscriptions: MAX_LISTENERS });
  const stopListening = service.onToolsChanged(() => modern.notify.toolsChanged());

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
      // Answers to questions and cancellations must come through, however much runs.
      if (isJSONRPCRequest(body) && service.running() >= MAX_RUNNING) {
        sendJson(response, 503, errorBody(REFUSED, `${MAX_RUNNING} calls are running. Try again soon.`, body.id), { ...headers, ...RETRY_AFTER });
        return;
      }
      // What it takes to tell the eras apart costs as much as a small call.
      if (headerOf(request, 'mcp-session-id') !== undefined && mayAnswerSoon(body, request.headers.accept)) {
        await answerInSession(admitted, () => webRequest(request, goneSignal(response)));
        return;
      }
      const web = webRequest(request, goneSignal(response));
      if (await isLegacyRequest(web, body)) await answerInSession(admitted, () => web);
      else await sendResponse(response, await modern.fetch(web, { parsedBody: body, authInfo }), headers);
    },
    async close() {
      stopListening();
      await Promise.all([sessions.close(), modern.close()]);
    },
  };
}
