import { expect, it } from 'vitest';
import { connectHands } from './brain/connect-hands.ts';
import { remoteBench } from './fixtures/bench.ts';
import { pairedBench } from './fixtures/paired-bench.ts';
import { tappedSocket } from './fixtures/tapped-socket.ts';
import { startServer } from './fixtures/web-server.ts';
import { ConnectedHands } from './hands/connected-hands.ts';
import { serveRelay } from './relay/serve-relay.ts';
import { sessionUrl } from './session-url.ts';

type Tap = (text: string, way: 'up' | 'down') => readonly string[];

/** A device that may reach ports, over a line that a relay changes. */
async function tapped(tap: Tap) {
  await using stack = new AsyncDisposableStack();
  const here = stack.use(await pairedBench([{ ports: 'own' }], 0, {}, {}, { allow: ['write', 'exec'] }));
  const [device] = here.devices;
  if (device === undefined) throw new Error('no device');
  const hands = stack.use(here.brain(device, { openSocket: (url) => tappedSocket(url, tap) }));
  const job = await startServer(hands, here.bench.folder);
  const opened = stack.move();
  return { hands, job, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const post = (port: number, body: string): Promise<string> =>
  fetch(`http://127.0.0.1:${port}/post`, { method: 'POST', body, headers: { connection: 'close' } }).then((answer) => answer.text());

it('a relay sees that something is forwarded, and neither job nor port nor content', { timeout: 60_000 }, async () => {
  const overheard: string[] = [];
  await using there = await tapped((text) => (overheard.push(text), [text]));
  const before = overheard.length;
  await using port = await there.hands.forwardPort(there.job, { port: 3000 });
  const body = 'secret-words'.repeat(100);
  expect(await post(port.port, body)).toBe(body);
  const frames = overheard.slice(before).filter((text) => text.includes('"type":"forward"'));
  expect(frames.length).toBeGreaterThan(4);
  for (const frame of frames) {
    expect(frame).toContain('"op":null');
    // What is sealed looks random, so it is left out: three letters may be in it by chance.
    expect(frame.replace(/"box":"[^"]*"/u, '')).not.toMatch(/3000|job-|secret|connect|token/u);
    expect(frame).not.toContain(Buffer.from('secret-words').toString('base64').slice(0, 12));
  }
});

it.each([
  ['repeats', (frame: string) => [frame, frame]],
  ['leaves out', () => []],
] as const)('a relay that %s a part of an upload breaks it', { timeout: 60_000 }, async (_, change) => {
  let count = 0;
  let seq = 0;
  // Such a relay counts on, so that the line itself does not notice.
  const renumbered = (text: string): string => text.replace(/^\{"seq":\d+/u, () => `{"seq":${(seq += 1)}`);
  await using there = await tapped((text, way) => {
    if (way === 'down') return [text];
    if (!text.startsWith('{"seq":')) return [text];
    const isPiece = text.includes('"type":"forward"') && text.length > 10_000;
    if (isPiece) count += 1;
    return (isPiece && count === 3 ? change(text) : [text]).map(renumbered);
  });
  await using port = await there.hands.forwardPort(there.job, { port: 3000 });
  let lines = 0;
  there.hands.subscribe(({ type }) => (lines += type === 'line' ? 1 : 0));
  await expect(post(port.port, 'x'.repeat(200_000))).rejects.toThrow();
  // Of this connection, only: the line and the others go on.
  expect(await post(port.port, 'y')).toBe('y');
  expect([count > 2, lines]).toEqual([true, 0]);
});

it('an earlier relay, which does not know forwarded ports, is named', { timeout: 60_000 }, async () => {
  await using there = await tapped((text, way) => [way === 'up' ? text.replace('"type":"forward"', '"type":"later"') : text]);
  await expect(there.hands.forwardPort(there.job, { port: 3000 })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The relay is of an earlier version, and cannot forward ports.',
  });
  expect(await there.hands.call('file_info', { path: '.' })).toMatchObject({ ok: true });
});

it.each([
  ['without pairing, no port is forwarded', (text: string) => text, { code: 'denied', message: 'Ports are forwarded to paired devices only.' }],
  [
    'an earlier machine is named',
    (text: string) => text.replace(/,\\?"abilities\\?":\[[^\]]*\]/u, ''),
    { code: 'unavailable', message: 'The machine is of an earlier version, and cannot forward ports.' },
  ],
])('%s', async (_, change, error) => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  await using _connected = new ConnectedHands(bench.hands, { url: sessionUrl(relay.url, 'desk'), name: 'desk', stateFolder: bench.state });
  await using hands = connectHands(relay.url, { session: 'desk', openSocket: (url) => tappedSocket(url, (text) => [change(text)]) });
  await expect(hands.forwardPort('job-1')).rejects.toMatchObject(error);
});
