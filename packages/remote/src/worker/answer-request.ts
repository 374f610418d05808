import { CLOSE_CODES, sha256 } from '@synapse/protocol/remote';
import { isSessionName } from '../session-name.ts';
import { socketPair, upgraded, type RelayEnvironment } from './cloudflare.ts';

const PATH = /^\/v1\/(?:s|pair)\/([^/]+)$/u;

/** Compares hashes, which have equal length. The time of the comparison reveals nothing about the token. */
function isAdmin(request: Request, { ADMIN_TOKEN }: RelayEnvironment): boolean {
  const given = /^Bearer (\S+)$/u.exec(request.headers.get('authorization') ?? '')?.[1];
  return ADMIN_TOKEN !== undefined && ADMIN_TOKEN.length >= 32 && given !== undefined && sha256(given) === sha256(ADMIN_TOKEN);
}

/** Any website can open a WebSocket. Only origins that the owner listed are accepted. */
function mayConnect(request: Request, { ALLOWED_ORIGINS = '' }: RelayEnvironment): boolean {
  const origin = request.headers.get('origin');
  return origin === null || ALLOWED_ORIGINS.split(',').includes(origin);
}

/** Closes the connection of a page, and reads nothing. Browsers tell a page no HTTP status, so it would try again without end. */
function turnAway(): Response {
  const { client, server } = socketPair();
  const { code, text } = CLOSE_CODES.origin;
  server.accept();
  server.close(code, text.slice(0, 100));
  return upgraded(client);
}

async function answer(request: Request, environment: RelayEnvironment): Promise<Response> {
  const { pathname } = new URL(request.url);
  const { ACCOUNT, SESSIONS } = environment;
  const account = () => ACCOUNT.get(ACCOUNT.idFromName('account'));
  // Objects are not asked: a question would wake them.
  if (pathname === '/healthz') return new Response('ok\n');
  if (pathname.startsWith('/v1/admin/')) {
    return isAdmin(request, environment) ? await account().fetch(request) : new Response('Not authorized.\n', { status: 401 });
  }
  const session = PATH.exec(pathname)?.[1] ?? '';
  if (pathname !== '/v1/enroll' && !isSessionName(session)) return new Response('This is a Synapse relay.\n', { status: 404 });
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return new Response('This takes WebSockets.\n', { status: 426 });
  if (!mayConnect(request, environment)) return turnAway();
  if (pathname === '/v1/enroll') return await account().fetch(request);
  return await SESSIONS.get(SESSIONS.idFromName(session)).fetch(request);
}

/** Answers a request to the Worker. */
export const worker = { fetch: answer };
