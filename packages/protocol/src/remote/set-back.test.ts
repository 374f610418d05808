import { expect, it } from 'vitest';
import { said } from './fixtures/said.ts';
import { PROTOCOL_VERSION } from './frames.ts';
import { brainStep } from './brain-core.ts';
import { newBrain, startBrain, type BrainEffect, type BrainEvent } from './brain-state.ts';
import { linkStep, newLink, startLink, type LinkEvent } from './link.ts';
import { relayStep } from './relay-core.ts';
import { newRelay, type RelayEvent } from './relay-state.ts';

const HOUR = 3_600_000;
const credit = { frames: 64, bytes: 1_000_000 };

/** The codes with which a party closes a connection on which it hears nothing more, at these times. */
function linkCodes(...times: readonly number[]): number[] {
  let { link } = startLink(newLink({ role: 'brain', inst: 'b' }));
  const codes: number[] = [];
  const take = (event: LinkEvent): void => {
    const step = linkStep(link, event);
    link = step.link;
    for (const effect of step.effects) if (effect.type === 'close') codes.push(effect.code);
  };
  take({ type: 'opened', conn: 1, now: HOUR });
  take({ type: 'text', conn: 1, text: said({ type: 'challenge', v: [PROTOCOL_VERSION], relay: 'r', nonce: 'n' }), now: HOUR });
  take({ type: 'text', conn: 1, text: said({ type: 'welcome', epoch: 1, resumed: false, recv: 0, credit }), now: HOUR });
  for (const now of times) take({ type: 'tick', now });
  return codes;
}

it('a party whose clock is set back notices a dead connection after a minute nevertheless, and drops none that lives', () => {
  expect(linkCodes(HOUR + 59_000, 0, 59_000)).toEqual([]);
  expect(linkCodes(0, 61_000)).toEqual([4408]);
  // The control.
  expect(linkCodes(HOUR + 61_000)).toEqual([4408]);
});

it('attempts to connect do not follow each other faster because a clock was set back', () => {
  let { link } = startLink(newLink({ role: 'brain', inst: 'b' }));
  const waits: number[] = [];
  const close = (now: number): void => {
    const step = linkStep(link, { type: 'closed', conn: link.conn, code: 1006, now, jitter: 1 });
    link = step.link;
    for (const effect of step.effects) if (effect.type === 'connect') waits.push(effect.afterMs);
  };
  for (const now of [HOUR, HOUR + 60_000, HOUR + 120_000, 1_000, 61_000, 121_000]) close(now);
  expect(waits.at(-1)).toBeGreaterThan(10_000);
});

it('a relay whose clock is set back drops a silent connection nevertheless', () => {
  let state = newRelay('r', 'open');
  const codes: number[] = [];
  const take = (event: RelayEvent): void => {
    const [next, effects] = relayStep(state, event);
    state = next;
    for (const effect of effects) if (effect.type === 'close') codes.push(effect.code);
  };
  const hello = { type: 'hello', v: PROTOCOL_VERSION, role: 'brain', inst: 'b', epoch: 0, credit } as const;
  take({ type: 'opened', conn: 1, nonce: 'n', now: HOUR });
  take({ type: 'text', conn: 1, text: said(hello), now: HOUR });
  take({ type: 'opened', conn: 2, nonce: 'n', now: HOUR });
  for (const now of [0, 30_000]) take({ type: 'tick', now });
  // The second one has not said who it is.
  expect(codes).toEqual([4408]);
  take({ type: 'tick', now: 91_000 });
  expect(codes).toEqual([4408, 4408]);
});

it('a brain whose clock is set back sends again what was lost', () => {
  let [state] = startBrain(newBrain('b', () => false));
  const take = (event: BrainEvent): readonly BrainEffect[] => {
    const [next, effects] = brainStep(state, event);
    state = next;
    return effects;
  };
  const text = (frame: object): readonly BrainEffect[] => take({ type: 'text', conn: 1, text: said(frame), now: HOUR });
  take({ type: 'opened', conn: 1, now: HOUR });
  text({ type: 'challenge', v: [PROTOCOL_VERSION], relay: 'r', nonce: 'n' });
  text({ type: 'welcome', epoch: 1, resumed: false, recv: 0, credit, peer: { online: true, epoch: 1, ledger: 'l' } });
  take({ type: 'call', id: 'a', call: { tool: 't', args: {}, at: HOUR } });
  const sentAt = (now: number): number =>
    take({ type: 'tick', now }).filter((effect) => effect.type === 'send' && effect.text.includes('"tool_call"')).length;
  const counts: number[] = [];
  for (let now = 0; now <= 55_000; now += 5_000) counts.push(sentAt(now));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
});
