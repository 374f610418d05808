import { createDevice, openDevice, PROTOCOL_VERSION, withSum } from '@synapse/protocol/remote';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { connectHands } from '../brain/connect-hands.ts';
import { MAX_ARGUMENTS, MAX_ID } from '../brain/hash-arguments.ts';
import { counted, remoteBench, type RemoteBench } from '../fixtures/bench.ts';
import { nonceOf } from '../fixtures/raw-party.ts';
import { startServer } from '../fixtures/web-server.ts';
import { HOSTS, type TestHost } from '../fixtures/relay-hosts.ts';
import { ConnectedHands } from '../hands/connected-hands.ts';
import { PairedDevices } from '../keys/paired-devices.ts';
import { joinPairing } from '../pairing/join-pairing.ts';
import { enrollmentUrl, sessionUrl } from '../session-url.ts';

const { signal } = new AbortController();
const jitter = (): number => 0.02;
let sessions = 0;

/** A machine that is enrolled at a host over its own relay address, with devices that are paired with it. */
async function machineAt(host: TestHost, bench: RemoteBench) {
  const session = `desk${(sessions += 1)}`;
  const device = await openDevice(await createDevice());
  await joinPairing(enrollmentUrl(host.url), { identity: device.identity, name: 'desk' }, await host.invite(), signal);
  const paired = new PairedDevices(await mkdtemp(join(tmpdir(), 'synapse-conformance-')));
  const brains = [await createDevice(), await createDevice()] as const;
  const grants = [['*'], ['read_file']];
  for (const [index, { identity }] of brains.entries()) {
    const base = { name: `b${index}`, role: 'brain' as const, approves: [], maxRunning: 4, expires: Date.now() + 3_600_000 };
    paired.add({ ...base, identity, tools: grants[index] ?? [], ports: 'own', session, workspace: bench.folder });
  }
  const serve = (): ConnectedHands => {
    const hands = new ConnectedHands(bench.hands, {
      url: sessionUrl(host.url, session),
      name: session,
      stateFolder: bench.state,
      jitter,
      pairing: { device, grants: () => paired.grantsFor(session, bench.folder), version: () => paired.version() },
    });
    hands.stopped.catch(() => {});
    return hands;
  };
  const brain = (index: 0 | 1 = 0) =>
    connectHands(host.brains, { session, jitter, credentials: { device: brains[index], machine: device.identity } });
  return { session, paired, brains, serve, brain };
}

describe.each(HOSTS)('a relay on %s', (_name, open) => {
  let host: TestHost | undefined;
  beforeAll(async () => {
    host = await open();
  }, 60_000);
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
  });

  it('carries the largest arguments under the longest id, and of larger ones nothing is sent', { timeout: 60_000 }, async ({ skip }) => {
    const relay = host ?? skip('This host is not installed here.');
    await using bench = await remoteBench();
    const machine = await machineAt(relay, bench);
    await using brain = machine.brain();
    await using _connected = machine.serve();
    const least = JSON.stringify({ text: '' }).length;
    // Two bytes each in UTF-8.
    const text = 'ä'.repeat((MAX_ARGUMENTS - least) / 2);
    // JSON escapes each of these characters as six.
    const callId = '\u0001'.repeat(MAX_ID);
    expect(await brain.call('count', { text }, { callId })).toMatchObject({ ok: true });
    expect(await brain.call('count', { text: `${text}xx` })).toMatchObject({ ok: false, error: { code: 'too_large' } });
    expect([...counted(bench.counter)]).toEqual([[text, 1]]);
  });

  it('carries forwarded ports, which stay when it restarts', { timeout: 90_000 }, async ({ skip }) => {
    const relay = host ?? skip('This host is not installed here.');
    await using bench = await remoteBench(0, undefined, { allow: ['write', 'exec'] });
    const machine = await machineAt(relay, bench);
    await using brain = machine.brain();
    await using _connected = machine.serve();
    await using port = await brain.forwardPort(await startServer(brain, bench.folder), { port: 3000 });
    const url = `http://127.0.0.1:${port.port}`;
    const body = 'ä'.repeat(500_000);
    expect(await (await fetch(`${url}/post`, { method: 'POST', body })).text()).toBe(body);
    const reader = (await fetch(`${url}/slow`)).body?.getReader();
    await reader?.read();
    const broken = reader?.read().then(
      () => 'read',
      () => 'broken',
    );
    await relay.restart();
    expect(await broken).toBe('broken');
    const said = async (): Promise<string> => await (await fetch(url, { headers: { connection: 'close' } })).text().catch(() => '');
    await expect.poll(async () => await said()).toBe('hello from 127.0.0.1');
  });

  it('passes calls on: small and large results, once for each id, and what waits for the machine', { timeout: 60_000 }, async ({ skip }) => {
    const relay = host ?? skip('This host is not installed here.');
    await using bench = await remoteBench();
    const machine = await machineAt(relay, bench);
    await using brain = machine.brain();
    {
      await using first = machine.serve();
      expect(await brain.call('count', { text: 'a' }, { callId: 'a' })).toMatchObject({ ok: true, output: 'a' });
      const large = await brain.call('count', { text: 'b', size: 300_000 });
      expect(large.ok && large.data).toEqual({ text: 'b'.padEnd(300_000, 'ä') });
      expect(await machine.brain().call('count', { text: 'a' }, { callId: 'a' })).toMatchObject({ ok: true });
      expect(first).toBeDefined();
    }
    const waiting = brain.call('count', { text: 'waits' });
    await using second = machine.serve();
    expect(await waiting).toMatchObject({ ok: true });
    expect(second).toBeDefined();
    expect(Object.fromEntries(counted(bench.counter))).toEqual({ a: 1, b: 1, waits: 1 });
  });

  it('holds grants: of tools, of strangers, and of a device that is revoked while it is connected', { timeout: 60_000 }, async ({ skip }) => {
    const relay = host ?? skip('This host is not installed here.');
    await using bench = await remoteBench();
    const machine = await machineAt(relay, bench);
    await using connected = machine.serve();
    expect(connected).toBeDefined();
    await using narrow = machine.brain(1);
    expect(await narrow.call('count', { text: 'x' })).toMatchObject({ ok: false, error: { code: 'denied' } });
    await using stranger = connectHands(relay.brains, { session: machine.session, jitter });
    expect(await stranger.call('count', { text: 'x' })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('does not accept') as string },
    });
    await using brain = machine.brain();
    expect(await brain.call('count', { text: 'before' })).toMatchObject({ ok: true });
    machine.paired.revoke(({ name }) => name === 'b0');
    await expect.poll(async () => (await brain.call('count', { text: 'after' })).ok).toBe(false);
    expect(counted(bench.counter).get('x')).toBeUndefined();
  });

  it('survives its own death: no call runs twice, each gets one result', { timeout: 60_000 }, async ({ skip }) => {
    const relay = host ?? skip('This host is not installed here.');
    await using bench = await remoteBench(150);
    const machine = await machineAt(relay, bench);
    await using connected = machine.serve();
    expect(connected).toBeDefined();
    await using brain = machine.brain();
    const texts = ['a', 'b', 'c', 'd', 'e', 'f'];
    const results = texts.map((text) => brain.call('count', { text, size: 90_000 }, { callId: text }));
    await expect.poll(() => counted(bench.counter).size).toBeGreaterThan(0);
    await relay.restart();
    for (const [index, result] of (await Promise.all(results)).entries()) {
      expect(result.ok && result.data).toEqual({ text: (texts[index] ?? '').padEnd(90_000, 'ä') });
    }
    expect(Object.fromEntries(counted(bench.counter))).toEqual(Object.fromEntries(texts.map((text) => [text, 1])));
  });

  it.each([
    ['not JSON', 'x', 4400],
    ['a call before hello', '{"type":"tool_call","tool":"x","id":"1"}', 4400],
    ['a hello without proof', `{"type":"hello","v":${PROTOCOL_VERSION},"role":"brain","inst":"i","epoch":0,"credit":{"frames":1,"bytes":1}}`, 4001],
    ['another version', '{"type":"hello","v":9,"role":"brain","inst":"i","epoch":0,"credit":{"frames":1,"bytes":1}}', 4010],
    ['a frame beyond the limit', `"${'x'.repeat(300_000)}"`, 4413],
    ['deep nesting', '['.repeat(100_000), 4400],
  ])('closes on %s with its code', async (_, text, code) => {
    if (host === undefined) return;
    const socket = new WebSocket(sessionUrl(host.url, 'bad'));
    const closed = Promise.withResolvers<number>();
    socket.on('message', (challenge: Buffer) => socket.send(withSum(nonceOf(challenge.toString()), text)));
    socket.on('close', closed.resolve);
    socket.on('error', closed.reject);
    expect(await closed.promise).toBe(code);
  });

  it.each(['/v1/s/desk', '/v1/pair/desk', '/v1/enroll'])('closes on a page of another origin, and tells it nothing else: %s', async (path) => {
    if (host === undefined) return;
    const socket = new WebSocket(`${host.url}${path}`, { origin: 'https://evil.example' });
    const closed = Promise.withResolvers<number>();
    socket.on('message', () => closed.reject(new Error('It got a message.')));
    socket.on('close', closed.resolve);
    socket.on('error', closed.reject);
    expect(await closed.promise).toBe(4006);
  });

  it('refuses a name that is none', async () => {
    if (host === undefined) return;
    const socket = new WebSocket(`${host.url}/v1/s/-x`);
    const failed = Promise.withResolvers<Error>();
    socket.on('error', failed.resolve);
    expect((await failed.promise).message).toContain('404');
  });
});
