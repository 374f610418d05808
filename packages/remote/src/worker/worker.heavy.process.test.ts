import { createDevice, openDevice } from '@synapse/protocol/remote';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectHands } from '../brain/connect-hands.ts';
import { remoteBench } from '../fixtures/bench.ts';
import { ADMIN_TOKEN, findWorkerd, WorkerdRelay } from '../fixtures/workerd.ts';
import { ConnectedHands } from '../hands/connected-hands.ts';
import { deviceId, type RemoteGrant } from '@synapse/protocol/remote';
import { sessionUrl } from '../session-url.ts';

const program = findWorkerd();
const open = async (): Promise<WorkerdRelay> => WorkerdRelay.open(program ?? '', await mkdtemp(join(tmpdir(), 'synapse-workerd-')));

it.skipIf(program === undefined)('the admin doors take the token and nothing else', async () => {
  await using relay = await open();
  const url = `${relay.url.replace('ws:', 'http:')}/v1/admin/machines`;
  const status = async (authorization?: string): Promise<number> =>
    (await fetch(url, { headers: authorization === undefined ? {} : { authorization } })).status;
  expect(await Promise.all([status(), status('Bearer '), status(`Bearer ${ADMIN_TOKEN}x`), status(`Bearer ${ADMIN_TOKEN}`)])).toEqual([
    401, 401, 401, 200,
  ]);
});

it.skipIf(program === undefined)('ends what connects and says nothing', { timeout: 60_000 }, async () => {
  await using relay = await open();
  const closed = async (path: string): Promise<number> => {
    const [event] = (await once(new WebSocket(`${relay.url}/v1/${path}`), 'close')) as [CloseEvent];
    return event.code;
  };
  expect(await Promise.all(['s/desk', 'pair/desk', 'enroll'].map(closed))).toEqual([4408, 4408, 4408]);
});

it.skipIf(program === undefined)(
  'sleeps with its connections open, goes on where it was, and an alarm ends a grant',
  { timeout: 60_000 },
  async () => {
    await using relay = await open();
    await using bench = await remoteBench();
    const [machineKeys, brainKeys] = [await createDevice(), await createDevice()];
    const device = await openDevice(machineKeys);
    const admin = `${relay.url.replace('ws:', 'http:')}/v1/admin/machines`;
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const enrolled = await fetch(admin, { method: 'POST', headers, body: JSON.stringify({ identity: device.identity, name: 'desk' }) });
    expect(enrolled.status).toBe(200);
    const ends = Date.now() + 22_000;
    const grant: RemoteGrant = { identity: brainKeys.identity, name: 'b', role: 'brain', tools: ['*'], approves: [], maxRunning: 4, expires: ends };
    const grants = new Map([[deviceId(grant.identity), grant]]);
    const lines: string[] = [];
    await using hands = new ConnectedHands(bench.hands, {
      url: sessionUrl(relay.url, 'desk'),
      stateFolder: bench.state,
      pairing: { device, grants: () => grants, version: () => '' },
      onStatus: ({ text }) => lines.push(text),
      jitter: () => 0.02,
    });
    hands.stopped.catch(() => {});
    await using brain = connectHands(relay.url, {
      session: 'desk',
      jitter: () => 0.02,
      credentials: { device: brainKeys, machine: device.identity },
    });
    const statuses: string[] = [];
    expect(await brain.call('count', { text: 'awake' })).toMatchObject({ ok: true });
    brain.subscribe((event) => event.type === 'line' && statuses.push(event.status));
    const wakes = (): string[] => relay.said.filter((line) => line.startsWith('woke with 2'));
    const early = relay.said.length;
    // It falls asleep some ten seconds after the last word.
    await expect.poll(() => Date.now() > ends - 4_000, { timeout: 40_000, interval: 200 }).toBe(true);
    expect(await brain.call('count', { text: 'woken' })).toMatchObject({ ok: true, output: 'woken' });
    expect({ wakes: wakes().length, statuses, lines }).toEqual({ wakes: 1, statuses: [], lines: ['Connected.'] });
    expect(relay.said.length).toBe(early + 1);
    await expect.poll(() => statuses, { timeout: 30_000 }).toEqual(['stopped']);
    expect(relay.said).toContain('alarm');
  },
);
