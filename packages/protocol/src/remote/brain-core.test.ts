import { expect, it } from 'vitest';
import { said } from './fixtures/said.ts';
import { PROTOCOL_VERSION } from './frames.ts';
import { brainStep } from './brain-core.ts';
import { sha256 } from './sha256.ts';
import { newBrain, startBrain, type BrainEffect, type BrainEvent } from './brain-state.ts';

const credit = { frames: 1_000, bytes: 10_000_000 };

/** A brain without pairing that is welcome at a relay. */
function openBrain() {
  let [state] = startBrain(newBrain('b', () => false));
  let seq = 0;
  const take = (event: BrainEvent): readonly BrainEffect[] => {
    const [next, effects] = brainStep(state, event);
    state = next;
    return effects;
  };
  const text = (frame: object): readonly BrainEffect[] => take({ type: 'text', conn: 1, text: said(frame), now: 0 });
  take({ type: 'opened', conn: 1, now: 0 });
  text({ type: 'challenge', v: [PROTOCOL_VERSION], relay: 'r', nonce: 'n' });
  text({ type: 'welcome', epoch: 1, resumed: false, recv: 0, credit, peer: { online: true, epoch: 1, ledger: 'l' } });
  return { take, hear: (frame: object) => text({ seq: (seq += 1), ack: 0, ...frame }) };
}

it('a result that never fits its hash is read a few times, and then the call ends', () => {
  const brain = openBrain();
  brain.take({ type: 'call', id: 'a', call: { tool: 't', args: {}, at: 0 } });
  const effects = [...brain.hear({ type: 'tool_result', tool_call_id: 'a', status: 'success', bytes: 4, sha256: '0'.repeat(64) })];
  const reads = (): number => effects.filter((effect) => effect.type === 'send' && effect.text.includes('"type":"read"')).length;
  const delivered = () => effects.flatMap((effect) => (effect.type === 'deliver' ? [effect.result.status] : []));
  for (let count = 0; count < 10 && delivered().length === 0; count += 1)
    effects.push(...brain.hear({ type: 'chunk', brain: 'b', of: 'result', name: 'a', from: 0, data: 'text', next: 4, total: 4 }));
  expect({ delivered: delivered(), reads: reads() }).toEqual({ delivered: ['interrupted'], reads: 3 });
});

it.each([
  ['nothing', { data: '', next: 0 }],
  ['a text that does not move on', { data: 'text', next: 0 }],
  ['a step without a text', { data: '', next: 1 }],
])('a result that is answered with %s is asked for again as if nothing had come, a few times, and then the call ends', (_, { data, next }) => {
  const brain = openBrain();
  brain.take({ type: 'call', id: 'a', call: { tool: 't', args: {}, at: 0 } });
  const effects = [...brain.hear({ type: 'tool_result', tool_call_id: 'a', status: 'success', bytes: 9, sha256: '0'.repeat(64) })];
  const reads = (): number => effects.filter((effect) => effect.type === 'send' && effect.text.includes('"type":"read"')).length;
  const delivered = () => effects.flatMap((effect) => (effect.type === 'deliver' ? [effect.result.status] : []));
  const answer = (): void => void effects.push(...brain.hear({ type: 'chunk', brain: 'b', of: 'result', name: 'a', from: 0, data, next, total: 9 }));
  answer();
  answer();
  // It did not put off the repetition, and is not the reason of one.
  expect([delivered(), reads()]).toEqual([[], 1]);
  effects.push(...brain.take({ type: 'tick', now: 5_000 }));
  expect([delivered(), reads()]).toEqual([[], 2]);
  answer();
  expect([delivered(), reads()]).toEqual([['interrupted'], 2]);
});

it('a result that grows beyond its size is damaged', () => {
  const brain = openBrain();
  brain.take({ type: 'call', id: 'a', call: { tool: 't', args: {}, at: 0 } });
  const effects = [...brain.hear({ type: 'tool_result', tool_call_id: 'a', status: 'success', bytes: 1_000_000, sha256: '0'.repeat(64) })];
  const data = 'x'.repeat(20_000);
  let sent = 0;
  for (let from = 0; sent < 1_000 && !effects.some(({ type }) => type === 'deliver'); sent += 1) {
    const heard = brain.hear({ type: 'chunk', brain: 'b', of: 'result', name: 'a', from, data, next: from + 1, total: 1_000_000 });
    // It is read anew after the part that was too much.
    from = heard.some((effect) => effect.type === 'send' && effect.text.includes('"from":0,')) ? 0 : from + 1;
    effects.push(...heard);
  }
  expect([sent, effects.flatMap((effect) => (effect.type === 'deliver' ? [effect.result.status] : []))]).toEqual([3 * 51, ['interrupted']]);
});

it('a call that arrives damaged is sent again a few times, and then its machine is asked what came of it', () => {
  const brain = openBrain();
  const effects = [...brain.take({ type: 'call', id: 'a', call: { tool: 't', args: {}, at: 0 } })];
  const sent = (type: string): number => effects.filter((effect) => effect.type === 'send' && effect.text.includes(`"type":"${type}"`)).length;
  for (let count = 0; count < 5; count += 1)
    effects.push(...brain.hear({ type: 'error', code: 'malformed', message: 'The hash does not fit the call.', tool_call_id: 'a' }));
  expect([sent('tool_call'), sent('cancel') > 0]).toEqual([4, true]);
  // An earlier copy arrived as it was sent, and ran.
  const body = '{"output":"ran","isError":false}';
  effects.push(...brain.hear({ type: 'tool_result', tool_call_id: 'a', status: 'success', bytes: body.length, sha256: sha256(body), body }));
  expect(effects.flatMap((effect) => (effect.type === 'deliver' || effect.type === 'refuse' ? [effect] : []))).toMatchObject([
    { type: 'deliver', result: { status: 'success' } },
  ]);
});

it('a result that is announced, and that its machine no longer knows, ends the call', () => {
  const brain = openBrain();
  brain.take({ type: 'call', id: 'a', call: { tool: 't', args: {}, at: 0 } });
  brain.hear({ type: 'tool_result', tool_call_id: 'a', status: 'success', bytes: 9, sha256: '0'.repeat(64) });
  const effects = brain.hear({ type: 'state', brain: 'b', calls: { a: 'unknown' } });
  expect(effects.flatMap((effect) => (effect.type === 'deliver' ? [effect.result.status] : []))).toEqual(['interrupted']);
});
