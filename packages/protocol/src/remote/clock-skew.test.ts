import { expect, it } from 'vitest';
import { said } from './fixtures/said.ts';
import { clockText } from './clock-skew.ts';
import { PROTOCOL_VERSION, type ControlFrame } from './frames.ts';
import { linkStep, newLink, startLink, type LinkEvent } from './link.ts';
import { relayStep } from './relay-core.ts';
import { newRelay } from './relay-state.ts';

const HOUR = 3_600_000;

it.each([
  [0, ''],
  [-119_999, ''],
  [120_000, '2 minutes ahead of'],
  [-HOUR, '60 minutes behind'],
  [3.4 * HOUR, '3 hours ahead of'],
  // The round trip, which is no minute.
  [1_000 - 30 * HOUR, '30 hours behind'],
  [-400 * 24 * HOUR, '400 days behind'],
])('a clock that is %i ms ahead', (skew, text) => {
  expect(clockText(skew)).toContain(text);
  if (text === '') expect(clockText(skew)).toBe('');
});

/** The status lines of a party whose clock says `now`, at a relay whose clock says `time`. */
function linesAt(now: number, time: number | undefined, closeCode: number): string[] {
  let { link } = startLink(newLink({ role: 'brain', inst: 'b' }));
  const lines: string[] = [];
  const take = (event: LinkEvent): void => {
    const step = linkStep(link, event);
    link = step.link;
    for (const effect of step.effects) if (effect.type === 'status') lines.push(effect.text);
  };
  const hear = (frame: ControlFrame): void => take({ type: 'text', conn: link.conn, text: said(frame), now });
  take({ type: 'opened', conn: link.conn, now });
  hear({ type: 'challenge', v: [PROTOCOL_VERSION], relay: 'r', nonce: 'n', ...(time === undefined ? {} : { time }) });
  hear({ type: 'welcome', epoch: 1, resumed: false, recv: 0, credit: { frames: 1, bytes: 1 } });
  take({ type: 'closed', conn: link.conn, code: closeCode, now, jitter: 0 });
  return lines;
}

it('the lines say that a clock is off, and what to do, where it may be the reason', () => {
  const [connected, refused] = linesAt(10 * HOUR, 5 * HOUR, 4003);
  expect(connected).toBe(`Connected.${clockText(5 * HOUR)}`);
  expect(refused).toContain('Ask its owner for a grant. The clock of this machine is 5 hours ahead');
  expect(linesAt(10 * HOUR, 10 * HOUR + 1_000, 4003)).toEqual(['Connected.', 'This key may not use the session. Ask its owner for a grant.']);
  // A relay of an earlier version does not tell its time.
  expect(linesAt(10 * HOUR, undefined, 1006)[0]).toBe('Connected.');
  // A lost connection has nothing to do with the clock.
  expect(linesAt(10 * HOUR, 5 * HOUR, 1006)[1]).not.toContain('clock');
});

it('a relay tells its time in its first words', () => {
  const [, effects] = relayStep(newRelay('r', 'open'), { type: 'opened', conn: 1, nonce: 'n', now: 1_234.5 });
  expect(effects).toMatchObject([{ text: expect.stringContaining('"time":1235') as string }]);
});
