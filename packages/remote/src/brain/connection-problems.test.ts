import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDevice, PROTOCOL_VERSION, withSum } from '@synapse/protocol/remote';
import { describeProblem } from '../hands/describe-problem.ts';
import type { BrowserSocket } from './brain-options.ts';
import { connectHands } from './connect-hands.ts';
import { readCredentials } from './read-credentials.ts';
import { openNodeSocket } from './node-socket.ts';

/** Serves until the end of the test. Returns the port. */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The first line about a connection that fails. */
async function firstLine(url: string, openSocket?: (url: string) => BrowserSocket): Promise<string> {
  await using hands = connectHands(url, { session: 'desk', ...(openSocket === undefined ? {} : { openSocket }) });
  const { promise, resolve } = Promise.withResolvers<string>();
  hands.subscribe((event) => event.type === 'line' && resolve(event.text));
  return await promise;
}

const answers = (status: string) => (): Server =>
  createHttpServer().on('upgrade', (_request, socket) => socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`));
const says = (work: (socket: Socket) => void) => (): Server => createServer((socket) => work(socket.on('error', () => {})));

it.each([
  ['a server without a relay', 'ws', answers('404 Not Found'), 'There is no relay at this address (HTTP 404). Check the URL.'],
  ['a name that the relay does not have', 'ws', answers('421 Misdirected Request'), 'Start it with --hostname and the name in the URL.'],
  ['a proxy whose relay is down', 'ws', answers('502 Bad Gateway'), 'See that the relay runs.'],
  ['a relay with too much to do', 'ws', answers('429 Too Many Requests'), 'Synapse tries again by itself; if that lasts, connect fewer clients'],
  ['a redirection', 'ws', answers('301 Moved Permanently'), 'The server redirects (HTTP 301), which WebSockets do not follow.'],
  ['a login', 'ws', answers('401 Unauthorized'), 'The server wants a login (HTTP 401), and relays have none.'],
  ['a page', 'ws', answers('200 OK'), 'The server answered with HTTP 200, not a WebSocket. Check the URL.'],
  ['another protocol', 'ws', says((socket) => socket.end('SSH-2.0-OpenSSH_9\r\n')), 'does not speak HTTP. Check the URL'],
  ['TLS expected', 'wss', answers('404 Not Found'), 'For a relay without TLS the URL starts with ws://.'],
  ['a reset', 'ws', says((socket) => socket.resetAndDestroy()), 'for a relay with TLS it starts with wss://.'],
])('%s: the line says what it is and what to do', async (_, scheme, serve, line) => {
  expect(await firstLine(`${scheme}://127.0.0.1:${await listen(serve())}`, openNodeSocket)).toContain(line);
});

const failed = (code: string): Error => Object.assign(new Error('failed'), { code });

it.each([
  ['CERT_HAS_EXPIRED', 'the clock of this machine'],
  ['CERT_NOT_YET_VALID', 'the clock of this machine'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
  ['ENETUNREACH', 'Check the network.'],
])('%s: the line says what to check', (code, line) => {
  expect(describeProblem(failed(code), 'wss://relay.example', {})).toContain(line);
});

it('a proxy that is not used is named where it may be the reason', () => {
  const described = (code: string, url: string, environment: NodeJS.ProcessEnv) => describeProblem(failed(code), url, environment);
  expect(described('ENOTFOUND', 'wss://relay.example', { HTTPS_PROXY: 'http://proxy:3128' })).toMatch(
    / HTTPS_PROXY is set, but Synapse connects directly/u,
  );
  expect(described('ENOTFOUND', 'wss://relay.example', { HTTPS_PROXY: '' })).not.toContain('proxy');
  expect(described('ECONNREFUSED', 'ws://127.0.0.1:7412', { HTTPS_PROXY: 'http://proxy:3128' })).not.toContain('proxy');
  expect(described('CERT_HAS_EXPIRED', 'wss://relay.example', { HTTPS_PROXY: 'http://proxy:3128' })).not.toContain('proxy');
});

it('an agent in Node gets the reason without an option', async () => {
  // By the name that agents import, because the choice is made there.
  const { connectHands: connectInNode } = await import('@synapse/remote/brain');
  await using hands = connectInNode(`ws://127.0.0.1:${await listen(answers('403 Forbidden')())}`, { session: 'desk' });
  const { promise, resolve } = Promise.withResolvers<string>();
  hands.subscribe((event) => event.type === 'line' && resolve(event.text));
  expect(await promise).toContain('The server refuses the connection (HTTP 403).');
});

it('where the runtime gives no reason, the line has what it may be', async () => {
  expect(await firstLine(`ws://127.0.0.1:${await listen(answers('403 Forbidden')())}`)).toBe(
    'The relay cannot be reached. See that it runs, that the URL is right, and for a web page that the relay allows its origin.',
  );
});

it.each([
  ['open', 1, 1],
  ['without a state', undefined, 1],
  // A browser warns about a text on a line that is closing.
  ['closing', 2, 0],
])('on a line that is %s, it sends as it should', async (_name, readyState, hellos) => {
  const sent: string[] = [];
  const heard = new Map<string, (event: never) => void>();
  const socket: BrowserSocket = {
    ...(readyState === undefined ? {} : { readyState }),
    send: (text) => void sent.push(text),
    close: () => {},
    addEventListener: (type: string, listener: (event: never) => void) => void heard.set(type, listener),
  };
  await using _hands = connectHands('ws://127.0.0.1:1', { session: 'desk', openSocket: () => socket });
  await expect.poll(() => heard.has('message')).toBe(true);
  heard.get('open')?.(undefined as never);
  heard.get('message')?.({
    data: withSum('', JSON.stringify({ type: 'challenge', v: [PROTOCOL_VERSION], relay: crypto.randomUUID(), nonce: 'n'.repeat(32) })),
  } as never);
  expect(sent.filter((text) => text.includes('"hello"'))).toHaveLength(hellos);
});

it('credentials are what was printed, or that parsed; others are refused without showing them', async () => {
  const device = await createDevice();
  const credentials = { device, machine: device.identity };
  for (const given of [credentials, JSON.stringify(credentials), `${JSON.stringify(credentials, null, 2)}\n`]) {
    expect(readCredentials(given)).toEqual(credentials);
  }
  for (const given of ['', 'secret', '"secret"', JSON.stringify({ ...credentials, machine: 'secret' }), JSON.stringify(credentials).slice(0, -2)]) {
    expect(() => connectHands('ws://127.0.0.1:1#desk', { credentials: given })).toThrow(/^Not the credentials of a paired agent\.$/u);
  }
});

it('a page that is not secure learns so in one sentence', async () => {
  const open = () => connectHands('ws://127.0.0.1:9', { session: 'desk' });
  // What browsers leave out there.
  vi.stubGlobal('crypto', { getRandomValues: () => {} });
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(open).toThrow(expect.objectContaining({ code: 'unavailable', hint: expect.stringContaining('https://') as string }));
  vi.unstubAllGlobals();
  await open()[Symbol.asyncDispose]();
});
