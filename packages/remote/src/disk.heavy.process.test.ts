import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { connectHands } from './brain/connect-hands.ts';
import { counted, remoteBench, type RemoteBench } from './fixtures/bench.ts';
import { ConnectedHands } from './hands/connected-hands.ts';
import { serveRelay } from './relay/serve-relay.ts';
import { sessionUrl } from './session-url.ts';

const serve = ({ hands, state }: RemoteBench, url: string): ConnectedHands =>
  new ConnectedHands(hands, { url, name: 'desk', stateFolder: state, jitter: () => 0.1 });

/** The file of the ledger. */
function ledgerIn(state: string): string {
  const found = readdirSync(state, { recursive: true }).find((name) => String(name).endsWith('ledger.sqlite'));
  return join(state, String(found));
}

/** Starts a program in a process whose files can have no more than 256 KB each: as if the disk were full then. */
function startOnSmallDisk(name: string, words: readonly string[]) {
  const program = fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
  const child = spawn('sh', ['-c', 'ulimit -f 512; exec "$@"', 'sh', process.execPath, '--conditions=synapse-source', program, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: undefined },
  });
  return { child, said: text(child.stderr) };
}

const serveOnSmallDisk = ({ folder, state, counter }: RemoteBench, url: string) => startOnSmallDisk('hands-process', [url, folder, state, counter]);

it.skipIf(process.platform === 'win32')('a full disk ends the machine with what to do, and nothing runs twice', { timeout: 60_000 }, async () => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  const url = sessionUrl(relay.url, 'desk');
  const { child, said } = serveOnSmallDisk(bench, url);
  await using brain = connectHands(relay.url, { session: 'desk', jitter: () => 0.1 });
  const ids = Array.from({ length: 12 }, (_, index) => `full-${index}`);
  const results = Promise.all(ids.map((id) => brain.call('count', { text: id, size: 20_000 }, { callId: id })));
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).not.toBe(0);
  expect(await said).toContain('See that the state folder can be written and its disk is not full');
  await using _connected = serve(bench, url);
  for (const [index, result] of (await results).entries()) {
    const times = counted(bench.counter).get(ids[index] ?? '') ?? 0;
    expect(times).toBeLessThanOrEqual(1);
    if (!result.ok) expect(result.error.details).toEqual({ status: 'interrupted' });
  }
});

it.skipIf(process.platform === 'win32')('output that the disk has no room for ends the machine in the same way', { timeout: 60_000 }, async () => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  const url = sessionUrl(relay.url, 'desk');
  const { child, said } = serveOnSmallDisk(bench, url);
  await using brain = connectHands(relay.url, { session: 'desk', jitter: () => 0.1 });
  const result = brain.call('flood', { megabytes: 1 }, { callId: 'flood' });
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).not.toBe(0);
  expect(await said).toContain('See that the state folder can be written and its disk is not full');
  await using _connected = serve(bench, url);
  expect(await result).toMatchObject({ ok: false, error: { details: { status: 'interrupted' } } });
});

it.skipIf(process.platform === 'win32')(
  'a full disk ends the relay with what to do; with room again, each call has its result, once',
  { timeout: 60_000 },
  async () => {
    const gate = Promise.withResolvers<void>();
    await using bench = await remoteBench(0, gate.promise);
    const file = join(bench.state, 'relay.sqlite');
    const { child, said } = startOnSmallDisk('relay-process', ['0', file]);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = line.toString().trim();
    await using _connected = serve(bench, sessionUrl(url, 'desk'));
    await using brain = connectHands(url, { session: 'desk', jitter: () => 0.1 });
    // The relay writes down what stays open.
    const texts = Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(60_000, 'x'));
    const results = Promise.all(texts.map((one) => brain.call('count', { text: one })));
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).not.toBe(0);
    expect(await said).toContain('See that its disk is not full, then start it again.');
    await using _relay = await serveRelay({ port: Number(new URL(url).port), file });
    gate.resolve();
    for (const result of await results) expect(result).toMatchObject({ ok: true });
    expect([...counted(bench.counter).values()]).toEqual(texts.map(() => 1));
  },
);

it.each([
  ['its head', 0],
  ['a page of it', 4_096],
])('a ledger of which %s is damaged is refused, and nothing runs', async (_, offset) => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  const url = sessionUrl(relay.url, 'desk');
  {
    await using connected = serve(bench, url);
    connected.stopped.catch(() => {});
    await using brain = connectHands(relay.url, { session: 'desk' });
    expect(await brain.call('count', { text: 'before' })).toMatchObject({ ok: true });
  }
  const file = openSync(ledgerIn(bench.state), 'r+');
  writeSync(file, Buffer.alloc(8_192, 0x5a), 0, 8_192, offset);
  closeSync(file);
  expect(() => serve(bench, url)).toThrow('The ledger of this session is damaged');
  expect(counted(bench.counter)).toEqual(new Map([['before', 1]]));
});
