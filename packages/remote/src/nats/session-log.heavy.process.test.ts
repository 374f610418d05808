import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RelayedCall } from '@synapse/protocol/remote';
import { hasNats, NatsCluster } from '../fixtures/nats-cluster.ts';
import { openNats, type Nats } from './open-nats.ts';
import { SessionLog, TakenOver } from './session-log.ts';
import { SessionOwners } from './session-owners.ts';

let cluster: NatsCluster | undefined;
let nats: Nats | undefined;
beforeAll(async () => {
  if (!hasNats()) return;
  // What is tested here is the order of things, not what survives.
  cluster = await NatsCluster.open(1);
  nats = await openNats({ servers: cluster.servers, replicas: 1 }, 'open');
}, 60_000);
afterAll(async () => {
  await nats?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

const call = (owner: string): RelayedCall => ({ owner, device: undefined, frame: undefined, result: undefined, cancel: undefined, at: 1 });
const put = (log: SessionLog, session: string, id: string, one: RelayedCall | undefined): void =>
  log.write(session, { type: 'store', what: 'call', id, call: one });
const idsOf = (log: SessionLog, session: string): string[] => [...log.read(session).calls.keys()];

it('an owner that was followed by another writes nothing any more, though it believes that it owns', async ({ skip }) => {
  const there = nats ?? skip('nats-server is not installed here.');
  const [former, later] = [new SessionLog(there, () => true), new SessionLog(there, () => true)];
  await former.claim('desk.1', 1);
  put(former, 'desk.1', 'a', call('x'));
  expect(await former.flush()).toEqual([]);
  await later.claim('desk.1', 2);
  expect(idsOf(later, 'desk.1')).toEqual(['a']);
  put(former, 'desk.1', 'b', call('x'));
  expect(await former.flush()).toEqual(['desk.1']);
  expect(former.holds('desk.1')).toBe(false);
  await expect(former.claim('desk.1', 1)).rejects.toThrow(TakenOver);
  put(later, 'desk.1', 'c', call('x'));
  expect(await later.flush()).toEqual([]);
  const reader = new SessionLog(there, () => true);
  await reader.claim('desk.1', 3);
  expect(idsOf(reader, 'desk.1')).toEqual(['a', 'c']);
});

it('of two that begin an empty log, one goes on', async ({ skip }) => {
  const there = nats ?? skip('nats-server is not installed here.');
  const logs = [new SessionLog(there, () => true), new SessionLog(there, () => true)];
  await Promise.all(logs.map((log, index) => log.claim('fresh', index + 1)));
  for (const log of logs) put(log, 'fresh', 'a', call('x'));
  const lost = await Promise.all(logs.map(async (log) => await log.flush()));
  expect(lost.toSorted((a, b) => a.length - b.length)).toEqual([[], ['fresh']]);
});

it('a long log is copied together, and says the same', async ({ skip }) => {
  const there = nats ?? skip('nats-server is not installed here.');
  const log = new SessionLog(there, () => true);
  await log.claim('long', 1);
  for (let count = 0; count < 200; count += 1) {
    put(log, 'long', `c${count}`, call(`o${count}`));
    if (count > 2) put(log, 'long', `c${count - 2}`, undefined);
    expect(await log.flush()).toEqual([]);
  }
  const { state } = await there.manager.streams.info(there.names.stream, { subjects_filter: there.names.log('long') });
  expect(state.subjects?.[there.names.log('long')]).toBeLessThan(100);
  const reader = new SessionLog(there, () => true);
  await reader.claim('long', 2);
  expect(reader.read('long')).toEqual(log.read('long'));
  expect(idsOf(reader, 'long')).toEqual(['c0', 'c198', 'c199']);
});

it('a session has one owner; a second node is told where it is, and gets it where the first gives it back', async ({ skip }) => {
  const there = nats ?? skip('nats-server is not installed here.');
  const lost: string[] = [];
  await using second = await SessionOwners.open(there, () => {});
  {
    await using first = await SessionOwners.open(there, (session) => lost.push(session));
    expect(await Promise.all([first.find('owned'), first.find('owned')])).toEqual(['here', 'here']);
    expect(await second.find('owned')).toEqual({ node: first.node });
    const both = await Promise.all([first.find('raced'), second.find('raced')]);
    expect(both.filter((where) => where === 'here')).toHaveLength(1);
  }
  expect(await second.find('owned')).toBe('here');
  expect(lost).toContain('owned');
});

it('a session is found again where NATS has lost who owned it', async ({ skip }) => {
  const there = nats ?? skip('nats-server is not installed here.');
  const former = new SessionLog(there, () => true);
  await former.claim('rolled-back', 1_000_000);
  put(former, 'rolled-back', 'a', call('x'));
  expect(await former.flush()).toEqual([]);
  await using owners = await SessionOwners.open(there, () => {});
  expect(await owners.find('rolled-back')).toBe('here');
  expect(idsOf(owners.log, 'rolled-back')).toEqual(['a']);
  put(former, 'rolled-back', 'b', call('x'));
  expect(await former.flush()).toEqual(['rolled-back']);
});

it('an owner that is suspected loses the session at once, and is told', async ({ skip }) => {
  const there = nats ?? skip('nats-server is not installed here.');
  const lost = Promise.withResolvers<string>();
  await using first = await SessionOwners.open(there, lost.resolve);
  await using second = await SessionOwners.open(there, () => {});
  expect(await first.find('suspected')).toBe('here');
  second.suspect(first.node);
  expect(await second.find('suspected')).toBe('here');
  expect(await lost.promise).toBe('suspected');
  expect(first.log.holds('suspected')).toBe(false);
  expect(await first.find('suspected')).toEqual({ node: second.node });
});

it('a lease that is not renewed ends', async ({ skip }) => {
  const there = nats ?? skip('nats-server is not installed here.');
  await using short = await openNats({ servers: cluster?.servers ?? [], replicas: 1 }, 'paired');
  const owners = await SessionOwners.open(short, () => {}, 600);
  expect(await owners.find('ending')).toBe('here');
  await short.connection.close();
  await expect.poll(() => owners.log.holds('ending')).toBe(false);
  expect(there.connection.isClosed()).toBe(false);
  await expect(owners.find('ending')).rejects.toThrow('no relay');
});
