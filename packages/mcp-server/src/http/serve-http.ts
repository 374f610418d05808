import { SynapseError } from '@synapse/protocol';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { isMessage, MAX_LINE_BYTES } from '../line-transport.ts';
import { parseMessage } from '../parse-message.ts';
import type { HttpListening, ServiceOptions } from '../mcp-offer.ts';
import { openService } from '../open-service.ts';
import { allowsOrigin, ENDPOINT, hostCheck, isPreflight, refusalOf, tooLarge, type AdmissionRules, type RequestHead } from './admission.ts';
import { requestAnswerer, type RequestAnswerer } from './answer-request.ts';
import { principalOf, tokenCheck } from './bearer-token.ts';
import { bodyBudget, readBody, type BodyBudget } from './read-body.ts';
import { errorBody, refuse, sendJson } from './respond.ts';

/** Maximum number of connections; more are dropped. */
const MAX_CONNECTIONS = 256;
/** Maximum number of bytes of all bodies being read. */
const BODY_BUDGET_BYTES = 4 * MAX_LINE_BYTES;
/** Milliseconds for the head of a request, and for the whole request: limits clients that send nothing, or very slowly. */
const HEAD_MS = 9_500;
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 10_000;
/** Milliseconds between checks of these limits: a silent connection is closed within ten seconds. */
const CHECK_MS = 500;
/** Milliseconds for pending responses when the server ends. */
const LAST_ANSWERS_MS = 500;

/** What pages of allowed origins may send and read. */
const CORS = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': 'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
  'access-control-max-age': '600',
} as const;

function corsHeaders(origin: string | undefined, rules: AdmissionRules): Record<string, string> {
  if (origin === undefined || !allowsOrigin(origin, rules.origins)) return {};
  return { 'access-control-allow-origin': origin, vary: 'origin', 'access-control-expose-headers': 'mcp-session-id, www-authenticate' };
}

function headOf({ method = '', url = '', headers, socket }: IncomingMessage): RequestHead {
  return { method, url, headers, localAddress: socket.localAddress };
}

interface Door {
  readonly rules: AdmissionRules;
  readonly answerer: RequestAnswerer;
  readonly budget: BodyBudget;
  readonly signal: AbortSignal;
}

/** Handles one request: every check, then the answer. */
async function serve(request: IncomingMessage, response: ServerResponse, { rules, answerer, budget, signal }: Door): Promise<void> {
  const head = headOf(request);
  const headers = corsHeaders(head.headers.origin, rules);
  const refusal = refusalOf(head, rules) ?? (signal.aborted ? { status: 503, message: 'The server is ending.' } : undefined);
  if (refusal !== undefined) {
    refuse(response, { ...refusal, headers: { ...headers, ...refusal.headers } });
    return;
  }
  if (isPreflight(head)) {
    response.writeHead(204, { ...headers, ...CORS }).end();
    return;
  }
  if (head.method !== 'POST') {
    await answerer.answer({ request, response, body: undefined, headers });
    return;
  }
  if (head.headers.expect !== undefined) response.writeContinue();
  const read = await readBody(request, rules.maxBodyBytes, budget);
  if ('failed' in read) {
    if (read.failed === 'too_large') refuse(response, { ...tooLarge(rules.maxBodyBytes), headers });
    if (read.failed === 'busy') refuse(response, { status: 503, message: 'Too much is being sent at once. Try again soon.', headers });
    return;
  }
  const parsed = parseMessage(read.text, isMessage);
  if ('refusal' in parsed) sendJson(response, 400, errorBody(parsed.refusal.code, parsed.refusal.message, parsed.refusal.id), headers);
  else await answerer.answer({ request, response, body: parsed.message, headers });
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'this user may not use the port',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
};

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new SynapseError('unavailable', `Cannot listen on ${host}, port ${port}: ${LISTEN_PROBLEMS[code] ?? code}.`, {
      hint: 'Name another with --port or --host; port 0 is any free port.',
      cause: error,
    });
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A server on a port has an address.');
  return address;
}

/** Closes all connections and waits until they are closed. */
async function end(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await closed;
  clearTimeout(timer);
}

/**
 * Serves hands over streamable HTTP until the signal is aborted; by then every call has ended.
 *
 * @throws SynapseError `unavailable` if it cannot listen, `unknown_tool` if `tools` names an unknown tool
 */
export async function serveHttp({ host, port, token, origins, signal, onListening, ...options }: ServiceOptions & HttpListening): Promise<void> {
  const service = openService(options, signal);
  const rules: AdmissionRules = { servesHost: hostCheck(host), origins, hasToken: tokenCheck(token), maxBodyBytes: MAX_LINE_BYTES };
  const answerer = requestAnswerer(service, principalOf(token), options.onError);
  const door: Door = { rules, answerer, budget: bodyBudget(BODY_BUDGET_BYTES), signal };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', options.onError);
    serve(request, response, door).catch((error: unknown) => {
      options.onError(error instanceof Error ? error : new Error(String(error)));
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, message: 'The request could not be served.' });
    });
  };
  const server = createServer({
    headersTimeout: HEAD_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_MS,
  });
  server.maxConnections = MAX_CONNECTIONS;
  // Without this listener, Node.js would request the body before the head is checked.
  server.on('request', onRequest).on('checkContinue', onRequest);
  try {
    const { address, port: taken } = await listen(server, host, port);
    server.on('error', options.onError);
    onListening(`http://${isIPv6(address) ? `[${address}]` : address}:${taken}${ENDPOINT}`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await service.ended();
    // Cancelled calls are answered in the next turn; without this wait their clients would get no answer.
    await setImmediate();
    await answerer.close();
    await service.ended();
    if (server.listening) await end(server);
  }
}
