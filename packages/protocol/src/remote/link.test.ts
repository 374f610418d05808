import { expect, it } from 'vitest';
import { said } from './fixtures/said.ts';
import { CLOSE_CODES } from './close-codes.ts';
import { PROTOCOL_VERSION, type ControlFrame, type DataFrame } from './frames.ts';
import { linkStep, newLink, sendFrame, startLink, type Link, type LinkEffect, type LinkEvent } from './link.ts';

const credit = { frames: 64, bytes: 1_000_000 };
const frame: DataFrame = { type: 'cancel', tool_call_id: 'c', ledger: 'l' };

/** A party with its line, and what it says. */
function openParty() {
  let { link }: { link: Link } = startLink(newLink({ role: 'brain', inst: 'b' }));
  const take = (event: LinkEvent): readonly LinkEffect[] => {
    const step = linkStep(link, event);
    link = step.link;
    return step.effects;
  };
  const hear = (frame: ControlFrame): readonly LinkEffect[] => take({ type: 'text', conn: link.conn, text: said(frame), now: 0 });
  const open = () => {
    take({ type: 'closed', conn: link.conn, code: 1006, now: 0, jitter: 0 });
    take({ type: 'opened', conn: link.conn, now: 0 });
    const [hello] = hear({ type: 'challenge', v: [PROTOCOL_VERSION], relay: 'r', nonce: 'n' });
    const greeting = hello?.type === 'send' ? (JSON.parse(hello.text) as { recv?: { seq: number }; epoch?: number }) : {};
    return greeting;
  };
  return {
    link: () => link,
    take,
    hear,
    send: () => {
      const step = sendFrame(link, frame);
      link = step.link;
    },
    /** Connects, and returns the number it says it has received, if it would resume. */
    connect: (): number | undefined => open().recv?.seq,
    /** Connects, and returns the number of its claim. */
    claim: (): number | undefined => open().epoch,
  };
}

it('a channel of which the relay lacks a frame that is gone here is not resumed for ever, but begun anew', () => {
  const party = openParty();
  party.connect();
  party.hear({ type: 'welcome', epoch: 1, resumed: false, recv: 0, credit });
  for (let count = 0; count < 5; count += 1) party.send();
  // Of another connection, heard again: the relay has received two.
  party.hear({ type: 'ack', ack: 4, credit });
  expect(party.connect()).toBe(0);
  const refused = party.hear({ type: 'welcome', epoch: 1, resumed: true, recv: 2, credit });
  expect(refused).toMatchObject([{ type: 'close', code: 4409 }]);
  // It does not offer to resume again, so the relay begins anew.
  expect(party.connect()).toBeUndefined();
  const welcomed = party.hear({ type: 'welcome', epoch: 1, resumed: false, recv: 0, credit });
  expect(welcomed).toMatchObject([{ type: 'status', status: 'online' }]);
  party.send();
  expect(party.link().channel.unacked).toMatchObject([{ seq: 1 }]);
});

it('a channel of which the relay lacks the last frames sends them again', () => {
  const party = openParty();
  party.connect();
  party.hear({ type: 'welcome', epoch: 1, resumed: false, recv: 0, credit });
  for (let count = 0; count < 5; count += 1) party.send();
  party.hear({ type: 'ack', ack: 2, credit });
  party.connect();
  const again = party.hear({ type: 'welcome', epoch: 1, resumed: true, recv: 3, credit });
  expect(again.flatMap((effect) => (effect.type === 'send' ? [/"seq":(\d)/u.exec(effect.text)?.[1]] : []))).toEqual(['4', '5']);
});

it('a long text follows its JSON where the relay can read that; a channel that was written for another relay begins anew', () => {
  const party = openParty();
  const long: DataFrame = { type: 'chunk', brain: 'b', of: 'result', name: 'c', from: 0, data: '"\n'.repeat(10_000), next: 1, total: 2 };
  const meet = (appends?: boolean) => {
    party.take({ type: 'closed', conn: party.link().conn, code: 1006, now: 0, jitter: 0 });
    party.take({ type: 'opened', conn: party.link().conn, now: 0 });
    const [hello] = party.hear({ type: 'challenge', v: [PROTOCOL_VERSION], relay: 'r', nonce: 'n', ...(appends === undefined ? {} : { appends }) });
    const { recv, appends: able } = JSON.parse(hello?.type === 'send' ? hello.text : '{}') as { recv?: object; appends?: boolean };
    const resumed = recv !== undefined;
    party.hear({ type: 'welcome', epoch: 1, resumed, recv: 0, credit });
    const { effects } = sendFrame(party.link(), long);
    return { resumed, able, isAppended: effects.map((effect) => effect.type === 'send' && effect.text.endsWith(`\n${long.data}`)) };
  };
  expect(meet()).toEqual({ resumed: false, able: true, isAppended: [false] });
  expect(meet()).toEqual({ resumed: true, able: true, isAppended: [false] });
  expect(meet(true)).toEqual({ resumed: false, able: true, isAppended: [true] });
  expect(meet(true)).toEqual({ resumed: true, able: true, isAppended: [true] });
  expect(meet(false)).toEqual({ resumed: false, able: true, isAppended: [false] });
});

it('a flood of pings is answered once in a second: what nobody reads would be kept', () => {
  const party = openParty();
  party.connect();
  const ping = (now: number): number => party.take({ type: 'text', conn: party.link().conn, text: 'ping', now }).length;
  expect([1_000, 1_001, 1_999].map(ping)).toEqual([1, 0, 0]);
  // The control: those of parties come every 25 seconds. A clock that is set back does not matter.
  expect([26_000, 51_000, 10_000].map(ping)).toEqual([1, 1, 1]);
});

it.each([
  [5, 5],
  [2 ** 40 + 1, 0],
  [Number.MAX_SAFE_INTEGER, 0],
])('a claim of the number %d is continued as %d: no relay makes a session useless for others', (epoch, continued) => {
  const party = openParty();
  party.connect();
  party.hear({ type: 'welcome', epoch, resumed: false, recv: 0, credit });
  expect(party.claim()).toBe(continued);
});

/** The end of a connection: whether the party goes on, and what it says. */
function endOf(role: 'hands' | 'brain', code: number, { before = false, phase = 'greeting' }: { before?: boolean; phase?: 'greeting' | 'up' } = {}) {
  let { link } = startLink(newLink({ role, inst: 'h' }, before));
  const take = (event: LinkEvent): readonly LinkEffect[] => {
    const step = linkStep(link, event);
    link = step.link;
    return step.effects;
  };
  take({ type: 'opened', conn: 1, now: 0 });
  const hear = (frame: ControlFrame): unknown => take({ type: 'text', conn: 1, text: said(frame), now: 0 });
  hear({ type: 'challenge', v: [PROTOCOL_VERSION], relay: 'r', nonce: 'n' });
  if (phase === 'up') hear({ type: 'welcome', epoch: 1, resumed: false, recv: 0, credit });
  const effects = take({ type: 'closed', conn: 1, code, now: 0, jitter: 1 });
  const [status] = effects.flatMap((effect) => (effect.type === 'status' ? [effect] : []));
  return { goesOn: effects.some(({ type }) => type === 'connect'), text: status?.text, next: () => ({ link, take, text: status?.text }) };
}

const refusals = Object.entries(CLOSE_CODES).flatMap(([name, { code, next }]) => (next === 'fatal' ? [[name, code] as const] : []));

it.each(refusals)('%s ends a machine that the relay never let in, or that is connected, and a brain, but for a grant that is late', (name, code) => {
  expect(endOf('hands', code)).toMatchObject({ goesOn: false });
  expect(endOf('hands', code, { before: true, phase: 'up' })).toMatchObject({ goesOn: false });
  expect(endOf('brain', code, { phase: 'up' })).toMatchObject({ goesOn: false });
  expect(endOf('brain', code)).toMatchObject({ goesOn: name === 'out_of_scope' });
});

it('a brain that was paired a moment ago waits about two seconds for its grant', () => {
  const { code, text } = CLOSE_CODES.out_of_scope;
  const { link: refused, text: said } = endOf('brain', code).next();
  expect(said).toBe(text);
  let link = refused;
  const attempts: boolean[] = [];
  for (let conn = 2; conn < 6; conn += 1) {
    link = linkStep(link, { type: 'opened', conn, now: conn }).link;
    const { effects, ...next } = linkStep(link, { type: 'closed', conn, code, now: conn, jitter: 1 });
    link = next.link;
    attempts.push(effects.some(({ type }) => type === 'connect'));
  }
  expect(attempts).toEqual([true, true, false, false]);
});

it.each(refusals)('%s while connecting: a machine that the relay let in before tries again and says why, unless another took over', (name, code) => {
  const { goesOn, text } = endOf('hands', code, { before: true });
  expect(goesOn).toBe(name !== 'replaced');
  if (goesOn) expect(text).toContain('its records may be those of a backup');
});

it('a machine that is refused at every attempt waits longer each time, up to a minute, and ends after about a week', () => {
  const { link: first } = endOf('hands', CLOSE_CODES.unauthorized.code, { before: true }).next();
  let link = first;
  let now = 0;
  const waits: number[] = [];
  while (link.phase !== 'stopped' && waits.length < 100_000) {
    const opened = linkStep(link, { type: 'opened', conn: link.conn, now }).link;
    const { link: next, effects } = linkStep(opened, { type: 'closed', conn: link.conn, code: CLOSE_CODES.unauthorized.code, now, jitter: 0.5 });
    link = next;
    for (const effect of effects) if (effect.type === 'connect') waits.push(effect.afterMs);
    now += waits.at(-1) ?? 0;
  }
  expect(Math.max(...waits)).toBe(30_000);
  expect(now / 86_400_000).toBeGreaterThan(6);
  expect(now / 86_400_000).toBeLessThan(8);
});
