import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { SynapseError } from '@synapse/protocol';

/** The result of a redirect. */
export interface Redirected {
  readonly code: string;
  /** The issuer in the response, if present. */
  readonly issuer: string | undefined;
}

/** The redirect target of a login. */
export interface LoopbackRedirect extends AsyncDisposable {
  readonly url: string;
  /** Resolves when the browser arrives with the right state. */
  readonly answer: Promise<Redirected>;
}

const PATH = '/callback';

function page(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>Synapse</title><p>${text}</p>`);
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Error codes in the form of the standard; other text is not shown. */
const ERROR = /^[a-z_]{1,40}$/u;

/**
 * Waits on this machine for the browser of the user. Requests without the state of this login are refused, and
 * waiting continues: any page can send a browser here.
 *
 * @param port default: a free one
 * @throws SynapseError `busy` if the port is taken
 */
export async function openLoopbackRedirect(state: string, port = 0): Promise<LoopbackRedirect> {
  const { promise: answer, resolve, reject } = Promise.withResolvers<Redirected>();
  // A login abandoned before its end is awaited must not be an unhandled rejection.
  answer.catch(() => {});
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    // Checks the host: another name that resolves to this machine is under foreign control.
    const host = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/u.test(request.headers.host ?? '');
    if (!host || request.method !== 'GET' || url.pathname !== PATH) return page(response, 404, 'Not found.');
    if (!isSame(url.searchParams.get('state') ?? '', state)) return page(response, 400, 'This is not the login that was started. Nothing was done.');
    const error = url.searchParams.get('error');
    const code = url.searchParams.get('code');
    if (error !== null || code === null || code === '') {
      page(response, 400, 'The login failed. You can close this page.');
      const said = error !== null && ERROR.test(error) ? error : 'no code came back';
      return reject(new SynapseError('denied', `The login failed: ${said}.`, { hint: 'Start it again, and allow the access in the browser.' }));
    }
    page(response, 200, 'You are logged in. You can close this page.');
    resolve({ code, issuer: url.searchParams.get('iss') ?? undefined });
  });
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new SynapseError('busy', `Port ${port} cannot be listened on.`, { hint: 'Set another "callbackPort", or none.', cause: error });
  }
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${listening}${PATH}`,
    answer,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };
}
