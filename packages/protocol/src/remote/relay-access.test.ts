import { expect, it } from 'vitest';
import { said } from './fixtures/said.ts';
import { PROTOCOL_VERSION } from './frames.ts';
import { grantRefusal, type RemoteGrant } from './grant.ts';
import { relayStep } from './relay-core.ts';
import { newRelay, type CheckedProof, type RelayState } from './relay-state.ts';
import { simIdentity } from './fixtures/sim-seal.ts';

const credit = { frames: 64, bytes: 1_000_000 };
const grant: RemoteGrant = { identity: simIdentity('b'), name: 'b', role: 'brain', tools: ['read_*'], approves: [], maxRunning: 1, expires: 1_000 };

/** Lets a party say hello on a connection of its own; gives the close code, where it is refused. */
function hello(
  state: RelayState,
  conn: number,
  role: 'hands' | 'brain',
  proof: CheckedProof | undefined,
  now = 0,
  inst = `${role}${conn}`,
  epoch = 0,
) {
  const identity = proof?.identity;
  const [opened] = relayStep(state, { type: 'opened', conn, nonce: 'n', now });
  const text = said({ type: 'hello', v: PROTOCOL_VERSION, role, inst, epoch, ledger: 'l', credit, ...(identity && { identity }) });
  const [next, effects] = relayStep(opened, { type: 'text', conn, text, now, ...(proof && { proof }) });
  const closed = effects.find((effect) => effect.type === 'close');
  return { next, code: closed?.code };
}

const proofOf = (name: string, enrolled = true): CheckedProof => ({ identity: simIdentity(name), enrolled });

it('lets enrolled machines claim a session, and only devices in that their machine named', () => {
  const fresh = newRelay('r', 'paired');
  expect(hello(fresh, 1, 'hands', undefined).code).toBe(4001);
  expect(hello(fresh, 1, 'hands', proofOf('h', false)).code).toBe(4001);
  const claimed = hello(fresh, 1, 'hands', proofOf('h'));
  expect(claimed.code).toBeUndefined();
  expect(hello(claimed.next, 2, 'hands', proofOf('other')).code).toBe(4003);
  // Not known yet, which is no refusal for good.
  expect(hello(claimed.next, 2, 'brain', proofOf('b')).code).toBe(4425);
  const [granted] = relayStep(claimed.next, { type: 'text', conn: 1, text: said({ type: 'grants', grants: [grant] }), now: 0 });
  expect(hello(granted, 2, 'brain', proofOf('b')).code).toBeUndefined();
  expect(hello(granted, 2, 'brain', proofOf('c')).code).toBe(4003);
  expect(hello(granted, 2, 'brain', proofOf('b'), 1_000).code).toBe(4003);
});

it('cuts a device off when its grant expires, is taken away, or its machine is removed', () => {
  const claimed = hello(newRelay('r', 'paired'), 1, 'hands', proofOf('h')).next;
  const [granted] = relayStep(claimed, { type: 'text', conn: 1, text: said({ type: 'grants', grants: [grant] }), now: 0 });
  const { next } = hello(granted, 2, 'brain', proofOf('b'));
  const closes = (event: Parameters<typeof relayStep>[1]) =>
    relayStep(next, event)[1].flatMap((effect) => (effect.type === 'close' ? [[effect.conn, effect.code]] : []));
  expect(closes({ type: 'tick', now: 999 })).toEqual([]);
  expect(closes({ type: 'tick', now: 1_000 })).toEqual([[2, 4003]]);
  expect(closes({ type: 'text', conn: 1, text: said({ type: 'grants', grants: [] }), now: 0 })).toEqual([[2, 4003]]);
  expect(closes({ type: 'removed', identity: simIdentity('h'), now: 0 })).toEqual([
    [1, 4001],
    [2, 4001],
  ]);
  // What a brain says about grants is nothing.
  expect(closes({ type: 'text', conn: 2, text: said({ type: 'grants', grants: [] }), now: 0 })).toEqual([]);
});

it.each([
  [2 ** 40, undefined, 2 ** 40 + 1],
  [Number.MAX_SAFE_INTEGER, 4400, 0],
])('a claim of the number %d: %s', (epoch, code, counted) => {
  expect(hello(newRelay('r', 'paired'), 1, 'hands', proofOf('h'), 0, 'h', epoch)).toMatchObject({ code, next: { epoch: counted } });
});

it.each([
  ['asks about', (ids: readonly string[]) => [{ type: 'sync', brain: 'brain2', calls: ids }]],
  ['cancels', (ids: readonly string[]) => ids.map((id) => ({ type: 'cancel', tool_call_id: id, ledger: 'l' }))],
])('a device that %s many calls leaves places for others', (_, frames) => {
  const claimed = hello(newRelay('r', 'paired'), 1, 'hands', proofOf('h')).next;
  const grants = ['b', 'c'].map((name) => ({ ...grant, identity: simIdentity(name) }));
  const [granted] = relayStep(claimed, { type: 'text', conn: 1, text: said({ type: 'grants', grants }), now: 0 });
  let { next: state } = hello(hello(granted, 2, 'brain', proofOf('b')).next, 3, 'brain', proofOf('c'));
  const says = (conn: number, seq: number, frame: object): string => {
    const [next, effects] = relayStep(state, { type: 'text', conn, text: said({ seq, ack: 0, ...frame }), now: 0 });
    state = next;
    return JSON.stringify(effects);
  };
  const ids = Array.from({ length: 1_000 }, (__, index) => `call-${index}`);
  for (const [index, frame] of frames(ids).entries()) says(2, index + 1, frame);
  // Sixteen for each call that may run at once.
  expect(state.calls.size).toBe(16);
  const call = { type: 'tool_call', id: 'x', tool: 'read_file', args: {}, hash: '0'.repeat(64), ledger: 'l', at: 0 };
  expect(says(3, 1, call)).not.toContain('backlog_full');
  expect(state.calls.has('x')).toBe(true);
});

it('no brain takes the place of the hands while they are away', () => {
  const claimed = hello(newRelay('r', 'paired'), 1, 'hands', proofOf('h')).next;
  const [granted] = relayStep(claimed, { type: 'text', conn: 1, text: said({ type: 'grants', grants: [grant] }), now: 0 });
  // A relay that was restarted knows no connections, only the records.
  const restarted = newRelay('r2', 'paired', granted);
  expect(hello(restarted, 2, 'brain', proofOf('b'), 0, 'hands1')).toMatchObject({ code: 4400, next: { parties: new Map() } });
  expect(hello(restarted, 2, 'brain', proofOf('b')).code).toBeUndefined();
  expect(hello(restarted, 2, 'hands', proofOf('h'), 0, 'hands1').code).toBeUndefined();
});

it.each([
  ['read_file', undefined, 0, true],
  ['write_file', undefined, 0, false],
  ['read_file', 'claude-code', 0, false],
  ['read_file', undefined, 1_000, false],
])('a grant of read_* for %s of dialect %s at %d: %s', (tool, dialect, now, allowed) => {
  expect(grantRefusal(grant, { tool, dialect }, now) === undefined).toBe(allowed);
  expect(grantRefusal({ ...grant, role: 'approver' }, { tool, dialect }, now)).toContain('only answers questions');
});
