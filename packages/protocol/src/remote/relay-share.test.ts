import { expect, it } from 'vitest';
import { said } from './fixtures/said.ts';
import { PROTOCOL_VERSION } from './frames.ts';
import { simIdentity } from './fixtures/sim-seal.ts';
import type { RemoteGrant } from './grant.ts';
import { relayStep } from './relay-core.ts';
import { newRelay, type RelayAccess, type RelayEvent } from './relay-state.ts';

const credit = { frames: 64, bytes: 1_000_000 };
const grantOf = (name: string): RemoteGrant => ({
  identity: simIdentity(name),
  name,
  role: 'brain',
  tools: ['*'],
  approves: [],
  maxRunning: 1,
  expires: 1_000,
});

/** A session whose machine let these devices in. */
function openSession(access: RelayAccess, names: readonly string[]) {
  let state = newRelay('r', access);
  let conn = 0;
  let closed: number[] = [];
  const take = (event: RelayEvent): void => {
    const [next, effects] = relayStep(state, event);
    state = next;
    closed.push(...effects.flatMap((effect) => (effect.type === 'close' ? [effect.conn, effect.code] : [])));
  };
  const enter = (role: 'hands' | 'brain', name: string, inst?: string) => {
    conn += 1;
    closed = [];
    const identity = simIdentity(name);
    const proof = access === 'open' ? {} : { proof: { identity, enrolled: true } };
    take({ type: 'opened', conn, nonce: 'n', now: conn });
    const hello = { type: 'hello', v: PROTOCOL_VERSION, role, inst: inst ?? `${name}${conn}`, epoch: 0, ledger: 'l', credit, identity };
    take({ type: 'text', conn, text: said(hello), now: conn, ...proof });
    return { conn, closed };
  };
  const grants = (given: readonly string[]): void =>
    take({ type: 'text', conn: 1, text: said({ type: 'grants', grants: given.map(grantOf) }), now: conn });
  enter('hands', 'machine');
  if (access === 'paired') grants(names);
  return {
    grants,
    /** Connects; returns the connections that this closes, with their codes. */
    brain: (name: string, inst?: string) => enter('brain', name, inst).closed,
    last: () => conn,
    leave: (one: number) => take({ type: 'closed', conn: one, now: conn }),
  };
}

it('a device that opens all connections it can leaves room for the others', () => {
  const session = openSession('paired', ['greedy', 'other', 'third']);
  for (let count = 0; count < 10; count += 1) expect(session.brain('greedy')).toEqual([]);
  const mine = session.last();
  expect(session.brain('greedy')).toEqual([mine + 1, 4429]);
  for (const name of ['other', 'third']) for (let count = 0; count < 10; count += 1) expect(session.brain(name)).toEqual([]);
  // Its own place, where one of its connections is gone.
  session.leave(mine);
  expect(session.brain('greedy')).toEqual([]);
});

it('a connection that comes again needs no other place', () => {
  const session = openSession('paired', ['b', 'c']);
  for (let count = 0; count < 16; count += 1) expect(session.brain('b', `b${count}`)).toEqual([]);
  const first = session.last() - 15;
  expect(session.brain('b', 'b0')).toEqual([first, 1000]);
});

it('a device that was paired later gets the places that another has beyond its share', () => {
  const session = openSession('paired', ['first']);
  for (let count = 0; count < 32; count += 1) expect(session.brain('first')).toEqual([]);
  expect(session.brain('first')).toEqual([session.last(), 4429]);
  session.grants(['first', 'second']);
  // The oldest connections make room.
  expect(session.brain('second')).toEqual([2, 4429]);
  expect(session.brain('second')).toEqual([3, 4429]);
});

it('without pairing, all share all places', () => {
  const session = openSession('open', []);
  for (let count = 0; count < 32; count += 1) expect(session.brain('b')).toEqual([]);
  expect(session.brain('b')).toEqual([session.last(), 4429]);
});
