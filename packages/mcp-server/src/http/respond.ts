import type { ServerResponse } from 'node:http';
import type { HttpRefusal } from './admission.ts';

/** Milliseconds until a response that the client does not read is abandoned. */
const STALLED_MS = 60_000;
/** Milliseconds a refused client has to read the reason, while the rest of its request stays unread. */
const LINGER_MS = 1_000;

/** Headers for every response: it must not be cached, and its type must not be guessed. */
const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** Returns an error body for HTTP and JSON-RPC. */
export function errorBody(code: number, message: string, id: string | number | null = null): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** Sends a JSON response. */
export function sendJson(response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { ...COMMON, ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  // As a string, it is sent in one piece with the head.
  response.end(body);
}

/** A server-defined code in JSON-RPC; the HTTP status has the details. */
const REFUSED = -32_000;

/** Refuses a request with an unread body, and closes its connection: the rest of the body is never read. */
export function refuse(response: ServerResponse, { status, message, headers = {} }: HttpRefusal): void {
  const content = Buffer.from(errorBody(REFUSED, message));
  const { req: request } = response;
  response.writeHead(status, { ...COMMON, ...headers, 'content-type': 'application/json', 'content-length': content.length, connection: 'close' });
  if (request.complete || (request.headers['content-length'] ?? '0') === '0') {
    if (request.headers['transfer-encoding'] === undefined) {
      response.end(content);
      return;
    }
  }
  // Closing now would reset the connection while the client still sends, before it has read the reason.
  response.write(content);
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
}

/** Waits until the client has read the written data; false if it disconnected or stalled. */
function taken(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (more: boolean): void => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onClose);
      resolve(more);
    };
    const onDrain = (): void => finish(true);
    const onClose = (): void => finish(false);
    const timer = setTimeout(onClose, STALLED_MS);
    response.on('drain', onDrain).on('close', onClose);
  });
}

/** Writes a response of the SDK as fast as the client reads it. Resolves when it ends, on either side. */
export async function sendResponse(response: ServerResponse, answer: Response, headers: Readonly<Record<string, string>>): Promise<void> {
  const reader = answer.body?.getReader();
  const onClose = (): void => void reader?.cancel().catch(() => {}); // already closed
  response.once('close', onClose);
  if (response.destroyed) {
    onClose();
    return;
  }
  response.writeHead(answer.status, { ...COMMON, ...Object.fromEntries(answer.headers), ...headers });
  // A stream may be silent for a long time, and its client waits for the head.
  response.flushHeaders();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) break;
      if (!response.write(value) && !(await taken(response))) break;
    }
  } finally {
    response.off('close', onClose);
    if (response.writableNeedDrain) response.destroy();
    else response.end();
    onClose();
  }
}
