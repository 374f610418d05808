import type { ServerResponse } from 'node:http';
import type { HttpRefusal } from './admission.ts';

/** Milliseconds that a client may leave an answer untaken. */
const STALLED_MS = 60_000;
/** Milliseconds that a refused client has to read why, while what it still sends is not read. */
const LINGER_MS = 1_000;

/** For every answer: it is for this client only, and what it says is what it is. */
const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** An error as both HTTP and JSON-RPC have it. */
export function errorBody(code: number, message: string, id: string | number | null = null): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { ...COMMON, ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  // As text it leaves in one piece with the head.
  response.end(body);
}

/** JSON-RPC leaves these codes to servers; HTTP's status says the rest. */
const REFUSED = -32_000;

/** Refuses a request whose body was not read, and ends its connection: the rest of the body is never read. */
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
  // To end it now would reset the connection under a client that is still sending, before it has read the reason.
  response.write(content);
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
}

/** Waits until a client has taken what was written; false where it left or takes nothing. */
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

/** Writes an answer of the SDK, as fast as the client takes it. Settles when it is over, whoever ended it. */
export async function sendResponse(response: ServerResponse, answer: Response, headers: Readonly<Record<string, string>>): Promise<void> {
  const reader = answer.body?.getReader();
  const onClose = (): void => void reader?.cancel().catch(() => {}); // it is over already
  response.once('close', onClose);
  if (response.destroyed) {
    onClose();
    return;
  }
  response.writeHead(answer.status, { ...COMMON, ...Object.fromEntries(answer.headers), ...headers });
  // A stream may have nothing to say for a long time, and its client waits for the head.
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
