import { expect, it } from 'vitest';
import { said } from './fixtures/said.ts';
import { openRelayEnds } from './fixtures/relay-ends.ts';
import type { RelayEffect } from './relay-state.ts';

const MB = 1_048_576;
const credit = { frames: 64, bytes: MB };
const hash = '0'.repeat(64);

it.each([
  ['', credit],
  [', which promises to take everything', { frames: 1_000_000_000, bytes: 1_000_000_000_000 }],
])('a machine that floods a reader that stalls%s: the relay holds a megabyte at most, and passes the result on', (_, promised) => {
  const relay = openRelayEnds(promised);
  const sent = { bytes: 0, closed: 0 };
  const count = (effects: readonly RelayEffect[]): void => {
    for (const effect of effects) {
      if (effect.type === 'send' && effect.conn === 2) sent.bytes += effect.text.length;
      if (effect.type === 'close') sent.closed += 1;
    }
  };
  count(relay.brain({ type: 'tool_call', id: 'a', tool: 't', args: {}, hash, ledger: 'l', at: 0 }));
  const data = 'x'.repeat(16_384);
  // 300 MB, of which the reader reads nothing.
  for (let off = 0; off < 300 * MB; off += data.length) count(relay.machine({ type: 'tool_progress', tool_call_id: 'a', off, data }));
  const { unacked = [], waitingSize = 0 } = relay.state().parties.get('brain')?.channel ?? {};
  const held = unacked.reduce((sum, { text }) => sum + text.length, waitingSize);
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThan(MB);
  expect(sent.bytes).toBeLessThan(MB);
  const before = sent.bytes;
  count(relay.machine({ type: 'tool_result', tool_call_id: 'a', status: 'success', bytes: 0, sha256: hash, body: '' }));
  expect(sent.bytes).toBeGreaterThan(before);
  expect(sent.closed).toBe(0);
});

it('a brain that sends more than its machine takes has to wait, and the line of the machine stays', () => {
  const relay = openRelayEnds(credit);
  const args = 'x'.repeat(200_000);
  const closes: number[] = [];
  const toMachine: string[] = [];
  const count = (effects: readonly RelayEffect[]): void => {
    for (const effect of effects) {
      if (effect.type === 'close') closes.push(effect.conn);
      if (effect.type === 'send' && effect.conn === 1) toMachine.push(...(/"id":"([^"]+)"/u.exec(effect.text)?.slice(1) ?? []));
    }
  };
  const call = (id: number): void => count(relay.brain({ type: 'tool_call', id: `${id}`, tool: 't', args, hash, ledger: 'l', at: 0 }));
  // A machine that acknowledges nothing: one window is on its way, half of the rest waits, and then the brain has one window.
  for (let id = 1; id <= 15; id += 1) call(id);
  expect(closes).toEqual([]);
  expect(relay.state().parties.get('brain')?.inbox).toHaveLength(4);
  // It takes all, so what waited is passed on, in order and once.
  for (let round = 1; round <= 4; round += 1) {
    const ack = { type: 'ack', ack: toMachine.length, credit: { frames: 1_000, bytes: 1_000 * MB } };
    count(relay.take({ type: 'text', conn: 1, text: said(ack), now: 0 }));
  }
  expect(toMachine).toEqual(Array.from({ length: 15 }, (_, index) => `${index + 1}`));
  // The control: a brain that ignores its credit is cut off, and nobody else.
  for (let id = 16; id <= 60; id += 1) call(id);
  expect(closes).toEqual([2]);
});

it('a brain that cancels unknown calls: the relay keeps a limited number of them, and says so', () => {
  const relay = openRelayEnds({ frames: 100_000, bytes: 100 * MB });
  const codes = new Set<unknown>();
  for (let count = 0; count < 5_000; count += 1) {
    for (const effect of relay.brain({ type: 'cancel', tool_call_id: `call-${count}`, ledger: 'l' })) {
      if (effect.type === 'send' && effect.conn === 2) codes.add((JSON.parse(effect.text) as Record<string, unknown>)['code']);
    }
  }
  expect(relay.state().calls.size).toBeLessThanOrEqual(1_000);
  expect(codes).toContain('backlog_full');
});

it('an id that the machine knows from another call: the relay forgets the wrong one, and the first call can be asked about again', () => {
  const relay = openRelayEnds({ frames: 100_000, bytes: 100 * MB });
  const other = '1'.repeat(64);
  const call = { type: 'tool_call', id: 'a', tool: 't', args: {}, ledger: 'l', at: 0 } as const;
  const toMachine = (effects: readonly RelayEffect[]) =>
    effects.flatMap((effect) => (effect.type === 'send' && effect.conn === 1 ? [effect.text] : []));
  relay.brain({ ...call, hash: other });
  const told = relay.machine({ type: 'error', code: 'id_reuse', message: 'This id was used for another call.', tool_call_id: 'a' });
  expect(told).toContainEqual(expect.objectContaining({ conn: 2, text: expect.stringContaining('id_reuse') as string }));
  expect(relay.state().calls.size).toBe(0);
  expect(toMachine(relay.brain({ ...call, hash }))).toEqual([expect.stringContaining(hash)]);
});

it('a call that a brain asked about keeps its place when another call has the same id', () => {
  const relay = openRelayEnds(credit);
  relay.brain({ type: 'sync', brain: 'brain', calls: ['a'] });
  relay.brain({ type: 'tool_call', id: 'a', tool: 't', args: {}, hash, ledger: 'l', at: 0 });
  relay.machine({ type: 'error', code: 'id_reuse', message: 'This id was used for another call.', tool_call_id: 'a' });
  expect(relay.state().calls.has('a')).toBe(true);
  relay.brain({ type: 'tool_call', id: 'a', tool: 't', args: {}, hash: '1'.repeat(64), ledger: 'l', at: 0 });
  const told = relay.machine({ type: 'tool_result', tool_call_id: 'a', status: 'success', bytes: 0, sha256: hash, body: '' });
  expect(told).toContainEqual(expect.objectContaining({ conn: 2 }));
});
