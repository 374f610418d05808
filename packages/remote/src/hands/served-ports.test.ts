import { SynapseError } from '@synapse/protocol';
import type { DataFrames, ForwardOp, RemoteGrant } from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import { ServedPorts, type ServedPortsOptions } from './served-ports.ts';

const GRANT: RemoteGrant = { identity: 'x', name: 'd', role: 'brain', tools: ['*'], approves: [], maxRunning: 4, expires: 1_000_000, ports: 'all' };
type Outcome = Parameters<ReturnType<ServedPortsOptions['record']>>[0];

/** Ports of jobs that are named as their number. Of job 0, there is none. */
function bench() {
  const said: Array<readonly [to: string | undefined, op: ForwardOp]> = [];
  const ended: Outcome[] = [];
  const state: { now: number; grant: RemoteGrant | undefined; over: Set<string> } = { now: 0, grant: GRANT, over: new Set() };
  const listeners = new Set<() => void>();
  const ports = new ServedPorts({
    grantOf: () => state.grant,
    nameOf: (_, workspace) => workspace,
    find: (_, __, { job, port = 3000 }) => {
      if (job === '0') throw new SynapseError('not_found', 'Job not found.');
      // No process has this id, so that no connection leads anywhere.
      const target = { port, pid: 2 ** 30, network: 'net:[1]', socket: '1', isShared: false };
      return { job, target, now: () => target, hasEnded: () => state.over.has(job) };
    },
    record: () => (outcome) => void ended.push(outcome),
    watch: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    onEvent: (event) => event.type === 'say' && event.frame.type === 'forward' && event.frame.op !== null && said.push([event.to, event.frame.op]),
    onReady: () => {},
    now: () => state.now,
  });
  const say = (op: DataFrames['forward']['op'], from: string | undefined = 'd', brain = 'b'): void =>
    ports.take({ type: 'forward', brain, op }, from);
  const last = (): ForwardOp | undefined => said.at(-1)?.[1];
  const open = (forward: number, job = '1', from = 'd', brain = 'b'): string => {
    say({ op: 'open', forward, job }, from, brain);
    const op = last();
    if (op?.op !== 'opened') throw new Error(JSON.stringify(op));
    return op.token;
  };
  return { ports, say, said, last, open, ended, state, listeners };
}

it.each([
  ['without ports', { ...GRANT, ports: undefined }, 'does not include ports'],
  ['of an approver', { ...GRANT, role: 'approver' as const }, 'does not include ports'],
  ['that has expired', { ...GRANT, expires: 0 }, 'has expired'],
  ['that is none', undefined, 'no access any more'],
])('a grant %s opens no port', (_, grant, message) => {
  const { state, say, said } = bench();
  state.grant = grant;
  say({ op: 'open', forward: 0, job: '1', port: 3000 });
  expect(said).toEqual([
    ['d', expect.objectContaining({ op: 'closed', forward: 0, code: 'denied', message: expect.stringContaining(message) as string })],
  ]);
});

it('where no device is paired, no port is forwarded', () => {
  const { ports, said } = bench();
  ports.take({ type: 'forward', brain: 'b', op: { op: 'open', forward: 0, job: '1' } }, undefined);
  expect(said).toEqual([
    [undefined, expect.objectContaining({ op: 'closed', code: 'denied', message: 'Ports are forwarded to paired devices only.' })],
  ]);
});

it('what was recorded opens and connects nothing again, and says nothing under a new token', () => {
  const { say, said, open, ended } = bench();
  const token = open(0);
  say({ op: 'connect', token, conn: 0 });
  const before = said.length;
  say({ op: 'open', forward: 0, job: '1' });
  say({ op: 'connect', token, conn: 0 });
  expect(said).toHaveLength(before);
  say({ op: 'close', forward: 0 });
  expect(ended).toEqual([{ connections: 0, sent: 0, received: 0 }]);
  expect(open(1)).not.toBe(token);
  const then = said.length;
  for (const op of ['connect', 'reset'] as const) say({ op, token, conn: 1 });
  say({ op: 'open', forward: 0, job: '1' });
  expect(said).toHaveLength(then);
});

it('no device says anything about the ports of another one, or of another process of it', () => {
  const { say, said, open, ended } = bench();
  const token = open(0);
  open(0, '1', 'other', 'b');
  open(0, '1', 'd', 'b2');
  const before = said.length;
  say({ op: 'connect', token, conn: 5 }, 'other');
  say({ op: 'connect', token, conn: 5 }, 'd', 'b2');
  say({ op: 'close', forward: 0 }, 'unknown');
  expect([said.length, ended.length]).toEqual([before, 0]);
  say({ op: 'close', forward: 0 }, 'other');
  expect(ended).toHaveLength(1);
  // The first one is still there: a connection of it is tried, and there is no such process.
  say({ op: 'connect', token, conn: 5 });
  expect(said.at(-1)).toEqual(['d', { op: 'reset', token, conn: 5 }]);
});

it('a device has four ports, however many processes it has', () => {
  const { say, last, open } = bench();
  for (const forward of [0, 1]) open(forward);
  for (const forward of [0, 1]) open(forward, '1', 'd', 'b2');
  say({ op: 'open', forward: 0, job: '1' }, 'd', 'b3');
  expect(last()).toMatchObject({ op: 'closed', code: 'busy' });
  expect(open(0, '1', 'other')).toBeTruthy();
});

it('an unknown job, and an audit log that cannot be written, open nothing', () => {
  const { say, last, ended } = bench();
  say({ op: 'open', forward: 0, job: '0' });
  expect(last()).toMatchObject({ op: 'closed', forward: 0, code: 'not_found', message: 'Job not found.' });
  expect(ended).toEqual([]);
});

it('a port ends with the grant, with a narrower one, and with its job, and its device hears why', () => {
  const { ports, state, open, last, ended, listeners } = bench();
  open(0);
  state.grant = { ...GRANT, ports: 'own' };
  ports.check();
  expect(last()).toMatchObject({ op: 'closed', forward: 0, code: 'denied', message: expect.stringContaining('own jobs only') as string });
  open(1);
  state.grant = undefined;
  ports.check();
  expect(last()).toMatchObject({ op: 'closed', forward: 1, code: 'denied' });
  expect(listeners.size).toBe(0);
  state.grant = GRANT;
  open(2, '7');
  state.over.add('7');
  for (const listener of listeners) listener();
  expect(last()).toMatchObject({ op: 'closed', forward: 2, code: 'not_found', message: '7 has ended.' });
  expect(ended.map(({ reason }) => reason)).toEqual([
    'The grant of this device includes the ports of its own jobs only.',
    'This device has no access any more.',
    '7 has ended.',
  ]);
  expect(listeners.size).toBe(0);
});

it('an agent that says nothing for half a minute has gone, and one that says it is there has not', () => {
  const { ports, say, state, open, ended } = bench();
  open(0);
  for (state.now = 10_000; state.now < 60_000; state.now += 10_000) {
    say({ op: 'alive' });
    ports.tick();
  }
  expect(ended).toEqual([]);
  state.now += 30_000;
  ports.tick();
  expect(ended).toMatchObject([{ reason: 'The agent has gone.' }]);
});
