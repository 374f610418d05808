import { createHands, type Hands } from '@synapse/hands';
import { mkdtemp } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixtureTools } from '../fixtures/tools.ts';
import { runMcpHttpServer } from '../run-mcp-server.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const errors: string[] = [];
let hands: Hands;
let port: number;
let stop: () => Promise<void>;

beforeAll(async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  const stateFolder = await mkdtemp(join(tmpdir(), 'synapse-state-'));
  hands = await createHands({ workspace, stateFolder, tools: fixtureTools(stateFolder) });
  const ending = new AbortController();
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  const onError = (error: Error): void => void errors.push(error.stack ?? error.message);
  const served = runMcpHttpServer({ hands, name: 'f', version: '1', token: TOKEN, port: 0, signal: ending.signal, onListening: resolve, onError });
  port = Number(new URL(await listening).port);
  stop = async () => {
    ending.abort();
    await served;
  };
});
afterAll(async () => {
  await stop();
  await hands[Symbol.asyncDispose]();
});

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Everything that comes until the other side ends, or has enough of what it is still being sent. */
function hear(socket: Socket): Promise<string> {
  let heard = '';
  socket.setEncoding('utf8').on('data', (part) => void (heard += String(part)));
  return new Promise((resolve) => socket.on('close', () => resolve(heard)));
}

/** Sends bytes and gives the answer. */
async function send(bytes: string): Promise<string> {
  const socket = await open();
  const heard = hear(socket);
  socket.write(bytes);
  return heard;
}

const head = (lines: readonly string[], first = 'POST /mcp HTTP/1.1'): string => `${[first, ...lines].join('\r\n')}\r\n\r\n`;
const host = 'Host: 127.0.0.1';
const bearer = `Authorization: Bearer ${TOKEN}`;
const json = 'Content-Type: application/json';
const status = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/u.exec(answer)?.[1]);

/** The server lives, and answers an honest client. */
async function expectAlive(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'DELETE', headers: { authorization: `Bearer ${TOKEN}` } });
  expect(response.status).toBe(400);
}

it.each<[string, string, number]>([
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['no Host', head([bearer, 'Connection: close']), 400],
  ['two Hosts', head(['Host: evil.example', host, bearer, 'Connection: close']), 403],
  ['a whole URL', head([host, bearer, 'Connection: close'], 'POST http://evil.example/mcp HTTP/1.1'), 404],
  ['both lengths', head([host, bearer, json, 'Content-Length: 5', 'Transfer-Encoding: chunked']), 400],
  ['a length that is none', head([host, bearer, json, 'Content-Length: -1']), 400],
  ['a head of 64 KB', head([host, bearer, `X: ${'x'.repeat(65_536)}`]), 431],
  ['an expectation that nobody knows', head([host, bearer, json, 'Expect: 200-ok', 'Connection: close']), 417],
  ['a tunnel', head([host], 'CONNECT example.com:80 HTTP/1.1'), Number.NaN],
])('refuses %s', async (_, bytes, expected) => {
  expect(status(await send(bytes))).toBe(expected);
  await expectAlive();
});

it('reads no body before it has seen the token, and does not ask for one', async () => {
  const answer = await send(head([host, json, 'Content-Length: 30000000', 'Expect: 100-continue']));
  expect(answer).not.toContain('100 Continue');
  expect(status(answer)).toBe(401);
});

it.each([
  ['announced', (): string => head([host, bearer, json, 'Content-Length: 40000000'])],
  [
    'in chunks',
    (): string => head([host, bearer, json, 'Transfer-Encoding: chunked']) + `${(36_000_000).toString(16)}\r\n${'x'.repeat(36_000_000)}\r\n`,
  ],
])('stops reading a body that is too large, %s, tells so and hangs up', async (_, bytes) => {
  expect(status(await send(bytes()))).toBe(413);
  await expectAlive();
});

it('stops reading what a client without a token goes on sending', async () => {
  const socket = await open();
  const heard = hear(socket);
  socket.write(head([host, json, 'Transfer-Encoding: chunked']));
  let taken = 0;
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  const ended = heard.then(() => true);
  // Until the other side has hung up: how much fits into the buffers on the way is not ours to say.
  while (!(await Promise.race([ended, delay(1, false)])) && !socket.destroyed) {
    if (socket.write(chunk)) taken += chunk.length;
  }
  expect(taken).toBeLessThan(16_000_000);
  await expectAlive();
});

it('drops connections beyond the bound and takes new ones when they end', async () => {
  const sockets = await Promise.all(Array.from({ length: 300 }, open));
  const closed = sockets.filter((socket) => socket.resume().once('close', () => {}));
  await expect.poll(() => closed.filter((socket) => socket.closed || socket.readableEnded).length).toBeGreaterThanOrEqual(300 - 256);
  for (const socket of sockets) socket.destroy();
  await expect
    .poll(
      () =>
        expectAlive().then(
          () => true,
          () => false,
        ),
      { timeout: 10_000 },
    )
    .toBe(true);
});

it('hangs up on a head that does not come', async () => {
  const socket = await open();
  socket.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n');
  const drip = setInterval(() => void socket.write('X-A: b\r\n'), 500);
  try {
    expect(status(await hear(socket))).toBe(408);
  } finally {
    clearInterval(drip);
    socket.destroy();
  }
}, 20_000);

it('has never told the token', () => {
  expect(errors.join('\n')).not.toContain(TOKEN);
});
