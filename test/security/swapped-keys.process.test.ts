import { createHands } from '@synapse/hands';
import { callHash, createDevice, deviceId, openDevice, SealedLine, sha256, withSum, type DataFrame, type Device } from '@synapse/protocol/remote';
import { ConnectedHands, serveRelay, sessionUrl } from '@synapse/remote';
import { connectHands } from '@synapse/remote/brain';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';

type Change = (text: string) => Promise<string>;

/** A relay between a party and an honest one. It changes what the party hears. */
async function swappingRelay(upstream: string, change: Change) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (party, { url = '' }) => {
    const relay = new WebSocket(`${upstream}${url}`);
    const early: string[] = [];
    let turn = Promise.resolve();
    let nonce = '';
    relay.on('open', () => early.splice(0).forEach((text) => relay.send(text)));
    party.on('message', (data: Buffer) => (relay.readyState === WebSocket.OPEN ? relay.send(data.toString()) : early.push(data.toString())));
    relay.on('message', (data: Buffer) => {
      turn = turn.then(async () => {
        const text = data.toString();
        const changed = await change(text);
        // It knows the nonce, so its frames have sums that fit.
        nonce ||= text.includes('"challenge"') ? String((JSON.parse(text) as { nonce?: string }).nonce) : '';
        party.send(changed === text ? text : withSum(nonce, changed));
      });
    });
    relay.on('error', () => party.terminate());
    relay.on('close', () => party.terminate());
    party.on('close', () => relay.terminate());
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Cuts all connections, so that the party connects anew. */
    cut: () => server.clients.forEach((one) => one.terminate()),
    [Symbol.asyncDispose]: async () => {
      server.clients.forEach((one) => one.terminate());
      await new Promise((done) => server.close(done));
    },
  };
}

/** Replaces frames of a type by what the relay's own key seals, as long as `lies` says so. */
function forger(to: Device, type: string, forge: (real: Record<string, unknown>) => DataFrame) {
  const state: { pose: Device | undefined; claims: string } = { pose: undefined, claims: '' };
  const change: Change = async (text) => {
    if (state.pose === undefined || !text.includes(`"type":"${type}"`)) return text;
    const real = JSON.parse(text) as Record<string, unknown>;
    const line = new SealedLine(state.pose, 'forged', (id) => (id === to.id ? to.identity : undefined));
    const sealed = await line.seal(forge(real), to.id);
    const auth = sealed !== undefined && 'auth' in sealed ? { ...sealed.auth, key: state.claims } : undefined;
    return JSON.stringify({ seq: real['seq'], ack: real['ack'], ...sealed, auth });
  };
  return { state, change };
}

async function place() {
  const stack = new AsyncDisposableStack();
  const base = await mkdtemp(join(tmpdir(), 'synapse-swapped-'));
  const [folder, state] = await Promise.all([mkdtemp(join(base, 'workspace-')), mkdtemp(join(base, 'state-'))]);
  writeFileSync(join(folder, 'a.txt'), 'real\n');
  const [machine, device, thief] = await Promise.all([createDevice(), createDevice(), createDevice()]);
  const keys = { machine: await openDevice(machine), brain: await openDevice(device), thief: await openDevice(thief) };
  const body = JSON.stringify({ output: 'forged', isError: false });
  const toBrain = forger(keys.brain, 'tool_result', ({ tool_call_id: id }) => ({
    type: 'tool_result',
    tool_call_id: String(id),
    status: 'success',
    bytes: body.length,
    sha256: sha256(body),
    body,
  }));
  const args = { path: 'forged.txt', content: 'forged' };
  const toMachine = forger(keys.machine, 'tool_call', ({ ledger, id }) => {
    const call = { tool: 'write_file', args };
    return { type: 'tool_call', id: `${String(id)}-forged`, ...call, hash: callHash(call), ledger: String(ledger), at: Date.now() };
  });
  const relay = stack.use(await serveRelay({ port: 0 }));
  const ways = {
    machine: stack.use(await swappingRelay(relay.url, toMachine.change)),
    brain: stack.use(await swappingRelay(relay.url, toBrain.change)),
  };
  const hands = stack.use(await createHands({ workspace: folder, stateFolder: join(state, 'synapse'), allow: ['write'] }));
  const grant = { identity: device.identity, name: 'brain', role: 'brain' as const, tools: ['*'], approves: [], maxRunning: 8 };
  const grants = new Map([[deviceId(device.identity), { ...grant, expires: Date.now() + 3_600_000 }]]);
  const told: string[] = [];
  const connected = stack.use(
    new ConnectedHands(hands, {
      url: sessionUrl(ways.machine.url, 'desk'),
      name: 'desk',
      stateFolder: join(state, 'synapse'),
      jitter: () => 0.01,
      onStatus: ({ text }) => told.push(`machine: ${text}`),
      pairing: { device: keys.machine, grants: () => grants, version: () => '' },
    }),
  );
  connected.stopped.catch(() => {});
  const brain = stack.use(connectHands(ways.brain.url, { session: 'desk', jitter: () => 0.01, credentials: { device, machine: machine.identity } }));
  brain.subscribe((event) => event.type === 'warning' && told.push(`brain: ${event.text}`));
  const opened = stack.move();
  return {
    keys,
    ways,
    brain,
    forgers: { brain: toBrain.state, machine: toMachine.state },
    warnings: () => told.filter((line) => line.includes(': Ignored a message')),
    hasForged: () => existsSync(join(folder, 'forged.txt')),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

it.each([
  ['brain', 'a key of its own', 'thief', 'brain: Ignored a message that the paired machine did not seal'],
  ['brain', 'its key under the name of the machine', 'machine', 'brain: Ignored a message that the paired machine did not seal'],
  ['machine', 'a key of its own', 'thief', 'machine: Ignored a message that no paired device sealed for this machine'],
  ['machine', 'its key under the name of the brain', 'brain', 'machine: Ignored a message that no paired device sealed for this machine'],
] as const)(
  'a relay that gives the %s %s, on a live connection and on the next one, is named, and nothing of it counts',
  { timeout: 60_000 },
  async (victim, _key, claims, sentence) => {
    await using here = await place();
    const read = (): ReturnType<typeof here.brain.call> => here.brain.call('read_file', { path: 'a.txt' });
    expect(await read()).toMatchObject({ ok: true, output: expect.stringContaining('real') as string });
    expect(here.warnings()).toEqual([]);

    Object.assign(here.forgers[victim], { pose: here.keys.thief, claims: here.keys[claims].id });
    let isSettled = false;
    const asked = read().finally(() => (isSettled = true));
    await expect.poll(() => here.warnings().length).toBe(1);
    for (const way of Object.values(here.ways)) way.cut();
    await expect.poll(() => here.warnings().length).toBe(2);
    for (const warning of here.warnings()) expect(warning).toContain(sentence);
    expect([isSettled, here.hasForged()]).toEqual([false, false]);

    here.forgers[victim].pose = undefined;
    for (const way of Object.values(here.ways)) way.cut();
    expect(await asked).toMatchObject({ ok: true, output: expect.stringContaining('real') as string });
    expect(here.hasForged()).toBe(false);
  },
);

it('the control: what the key of the brain seals runs, also if another sends it', { timeout: 60_000 }, async () => {
  await using here = await place();
  Object.assign(here.forgers.machine, { pose: here.keys.brain, claims: here.keys.brain.id });
  const abort = new AbortController();
  const call = here.brain.call('read_file', { path: 'a.txt' }, { signal: abort.signal });
  await expect.poll(here.hasForged).toBe(true);
  abort.abort();
  await call;
});
