import { expect, it } from 'vitest';
import type { DataFrame } from './frames.ts';
import { relayStep } from './relay-core.ts';
import { newRelay, type RelayState } from './relay-state.ts';

const MB = 1_048_576;
const credit = { frames: 64, bytes: MB };
const hash = '0'.repeat(64);

it('a machine that floods a reader that stalls: the relay holds no more than the credit of the reader, and passes the result on', () => {
  let state: RelayState = newRelay('r', 'open');
  const seqs = new Map<number, number>();
  const sent = { bytes: 0, closed: 0 };
  const take = (event: Parameters<typeof relayStep>[1]): void => {
    const [next, effects] = relayStep(state, event);
    state = next;
    for (const effect of effects) {
      if (effect.type === 'send' && effect.conn === 2) sent.bytes += effect.text.length;
      if (effect.type === 'close') sent.closed += 1;
    }
  };
  const says = (conn: number, frame: DataFrame): void => {
    const seq = (seqs.get(conn) ?? 0) + 1;
    seqs.set(conn, seq);
    take({ type: 'text', conn, text: JSON.stringify({ seq, ack: 0, ...frame }), now: 0 });
  };
  for (const [conn, role] of [
    [1, 'hands'],
    [2, 'brain'],
  ] as const) {
    take({ type: 'opened', conn, nonce: 'n', now: 0 });
    take({ type: 'text', conn, text: JSON.stringify({ type: 'hello', v: 1, role, inst: role, epoch: 0, ledger: 'l', credit }), now: 0 });
  }
  says(2, { type: 'tool_call', id: 'a', tool: 't', args: {}, hash, ledger: 'l', at: 0 });
  const data = 'x'.repeat(16_384);
  // 300 MB, of which the reader reads nothing.
  for (let off = 0; off < 300 * MB; off += data.length) says(1, { type: 'tool_progress', tool_call_id: 'a', off, data });
  const { unacked = [], waitingSize = 0 } = state.parties.get('brain')?.channel ?? {};
  const held = unacked.reduce((sum, { text }) => sum + text.length, waitingSize);
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThan(MB);
  expect(sent.bytes).toBeLessThan(MB);
  const before = sent.bytes;
  says(1, { type: 'tool_result', tool_call_id: 'a', status: 'success', bytes: 0, sha256: hash, body: '' });
  expect(sent.bytes).toBeGreaterThan(before);
  expect(sent.closed).toBe(0);
});
