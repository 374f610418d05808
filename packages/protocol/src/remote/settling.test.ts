import { describe, expect, it } from 'vitest';
import { said } from './fixtures/said.ts';
import { brainStep } from './brain-core.ts';
import { newBrain, type BrainState } from './brain-state.ts';
import { openRelayEnds } from './fixtures/relay-ends.ts';
import { World } from './fixtures/world.ts';
import { PROTOCOL_VERSION, parseText, type DataFrame } from './frames.ts';
import type { FinishedCall } from './ledger.ts';
import type { RelayEffect } from './relay-state.ts';
import { CONFIRM_MS, MAX_CONFIRMED, SETTLE_MS } from './settle-times.ts';
import { sha256 } from './sha256.ts';

const credit = { frames: 1_000, bytes: 10_000_000 };
const hash = '0'.repeat(64);
const call = (id: string): DataFrame => ({ type: 'tool_call', id, tool: 't', args: {}, hash, ledger: 'l', at: 0 });
const result = (id: string): DataFrame => ({ type: 'tool_result', tool_call_id: id, status: 'success', bytes: 0, sha256: hash, body: '' });

const openRelay = (settleMs?: number) => openRelayEnds(credit, settleMs);

const written = (effects: readonly RelayEffect[]): unknown[] =>
  effects.flatMap((effect) =>
    effect.type === 'store' && effect.what === 'call'
      ? [[effect.id, effect.call === undefined ? 'deleted' : effect.call.result === undefined ? 'open' : 'done']]
      : [],
  );

const timers = (effects: readonly RelayEffect[]): number[] => effects.flatMap((effect) => (effect.type === 'settle' ? [effect.afterMs] : []));

describe('a relay', () => {
  it('writes nothing down about a call that ends and is confirmed at once', () => {
    const relay = openRelay();
    const began = relay.brain(call('a'), 0);
    expect({ written: written(began), timers: timers(began) }).toEqual({ written: [], timers: [SETTLE_MS] });
    expect(written(relay.machine(result('a'), 1))).toEqual([]);
    expect(written(relay.brain({ type: 'received', tool_call_id: 'a' }, 2))).toEqual([]);
    for (const type of ['settle', 'tick'] as const) expect(written(relay.take({ type, now: 10_000 }))).toEqual([]);
  });

  it('writes down a call that stays open, its late result when idle, and deletes it when it is confirmed', () => {
    const relay = openRelay();
    relay.brain(call('a'), 0);
    const second = relay.brain(call('b'), 10);
    // One timer is enough.
    expect(timers(second)).toEqual([]);
    const first = relay.take({ type: 'settle', now: SETTLE_MS });
    expect({ written: written(first), timers: timers(first) }).toEqual({ written: [['a', 'open']], timers: [10] });
    expect(written(relay.take({ type: 'settle', now: SETTLE_MS + 10 }))).toEqual([['b', 'open']]);
    expect(written(relay.machine(result('a'), 50))).toEqual([]);
    expect(written(relay.take({ type: 'tick', now: 5_000 }))).toEqual([['a', 'done']]);
    expect(written(relay.brain({ type: 'received', tool_call_id: 'a' }, 5_001))).toEqual([]);
    expect(written(relay.take({ type: 'tick', now: 10_000 }))).toEqual([['a', 'deleted']]);
    expect(written(relay.take({ type: 'tick', now: 15_000 }))).toEqual([]);
  });

  it('writes a call down at once where another relay may take over', () => {
    const relay = openRelay(0);
    expect(written(relay.brain(call('a'), 0))).toEqual([['a', 'open']]);
    expect(timers(relay.brain(call('b'), 0))).toEqual([]);
  });

  it('takes confirmations together', () => {
    const relay = openRelay();
    for (const id of ['a', 'b', 'c']) {
      relay.brain(call(id), 0);
      relay.machine(result(id), 1);
    }
    const effects = relay.brain({ type: 'received', tool_call_id: 'a', also: ['b'] }, 2);
    expect(effects).toContainEqual(expect.objectContaining({ type: 'send', conn: 1, text: expect.stringContaining('"also":["b"]') as string }));
    expect(written(relay.take({ type: 'tick', now: 5_000 }))).toEqual([['c', 'done']]);
  });
});

/** A connected brain with calls that were sent. */
function connectedBrain(ids: readonly string[]): { state: BrainState; tell: (frame: DataFrame) => readonly { type: string }[] } {
  const done = new Set<string>();
  const held = { state: newBrain('b', (id) => done.has(id)) };
  const take = (event: Parameters<typeof brainStep>[1]) => {
    const [state, effects] = brainStep(held.state, event);
    for (const effect of effects) if (effect.type === 'deliver') done.add(effect.id);
    held.state = state;
    return effects;
  };
  take({ type: 'opened', conn: 0, now: 0 });
  take({ type: 'text', conn: 0, text: said({ type: 'challenge', v: [PROTOCOL_VERSION], relay: 'r', nonce: 'n' }), now: 0 });
  const peer = { online: true, epoch: 1, ledger: 'l' };
  take({ type: 'text', conn: 0, text: said({ type: 'welcome', epoch: 0, resumed: false, recv: 0, credit, peer }), now: 0 });
  for (const id of ids) take({ type: 'call', id, call: { tool: 't', args: {}, at: 0 } });
  take({ type: 'text', conn: 0, text: said({ type: 'ack', ack: ids.length, credit }), now: 0 });
  let seq = 0;
  return Object.assign(held, {
    tell: (frame: DataFrame) => take({ type: 'text', conn: 0, text: said({ seq: (seq += 1), ack: 0, ...frame }), now: 0 }),
  });
}

const finished = (id: string): DataFrame => {
  const body = JSON.stringify({ output: id, isError: false });
  const facts: Omit<FinishedCall, 'body'> = { status: 'success', bytes: body.length, sha256: sha256(body) };
  return { type: 'tool_result', tool_call_id: id, ...facts, body };
};

/** The ids that a brain confirms, by frame. */
const confirmed = (effects: readonly { type: string; text?: string }[]): unknown[] =>
  effects.flatMap(({ type, text = '' }) => {
    const parsed = type === 'send' ? parseText(text) : undefined;
    return parsed?.kind === 'data' && parsed.frame.type === 'received' ? [[parsed.frame.tool_call_id, ...(parsed.frame.also ?? [])]] : [];
  });

describe('a brain', () => {
  it('confirms the results of a moment together, after they are kept', () => {
    const brain = connectedBrain(['a', 'b']);
    const first = brain.tell(finished('a'));
    expect(first).toContainEqual({ type: 'settle', afterMs: CONFIRM_MS });
    expect(first.map(({ type }) => type)).toContain('deliver');
    const second = brain.tell(finished('b'));
    // A result that comes again is confirmed once.
    const again = brain.tell(finished('a'));
    expect([first, second, again].flatMap(confirmed)).toEqual([]);
    const [next, effects] = brainStep(brain.state, { type: 'settle', now: CONFIRM_MS });
    expect(confirmed(effects)).toEqual([['a', 'b']]);
    expect(brainStep(next, { type: 'settle', now: CONFIRM_MS })[1]).toEqual([]);
  });

  it('confirms many results without waiting', () => {
    const ids = Array.from({ length: MAX_CONFIRMED }, (_, index) => `c${index}`);
    const brain = connectedBrain(ids);
    expect(ids.flatMap((id) => confirmed(brain.tell(finished(id))))).toEqual([ids]);
  });
});

describe('a call that is not accepted', () => {
  const sent = (effects: readonly { type: string; text?: string }[]): string[] =>
    effects.flatMap(({ type, text = '' }) => {
      const parsed = type === 'send' ? parseText(text) : undefined;
      return parsed?.kind === 'data' && parsed.frame.type === 'tool_call' ? [parsed.frame.id] : [];
    });

  it('is sent again after a time, as long as its machine is there; one that is accepted is not', () => {
    const brain = connectedBrain(['a', 'b']);
    brain.tell({ type: 'tool_accepted', tool_call_id: 'b' });
    const [early, none] = brainStep(brain.state, { type: 'tick', now: 29_000 });
    expect(sent(none)).toEqual([]);
    const [again, effects] = brainStep(early, { type: 'tick', now: 31_000 });
    expect(sent(effects)).toEqual(['a']);
    expect(sent(brainStep(again, { type: 'tick', now: 36_000 })[1])).toEqual([]);
    const away = { ...again, peer: { online: false, epoch: 1, ledger: 'l' } };
    expect(sent(brainStep(away, { type: 'tick', now: 59_000 })[1])).toEqual([]);
    expect(sent(brainStep({ ...again, link: { ...again.link, heard: 59_000 } }, { type: 'tick', now: 62_000 })[1])).toEqual(['a']);
  });
});

describe('hands', () => {
  const accepted = (world: World): string[] => [...world.brains.b1.state.calls].flatMap(([id, { phase }]) => (phase === 'accepted' ? [id] : []));

  it('tell that a call was accepted only if its result is late', () => {
    const world = new World();
    world.act({ op: 'flow', rounds: 2 });
    world.act({ op: 'call', brain: 'b1', kind: 'quick' });
    world.act({ op: 'flow', rounds: 2 });
    expect({ runs: world.hands.h1.runs.size, accepted: accepted(world) }).toEqual({ runs: 1, accepted: [] });
    world.act({ op: 'tick', ms: SETTLE_MS });
    world.act({ op: 'flow', rounds: 2 });
    expect(accepted(world)).toHaveLength(1);
  });

  it.each(['ask', 'progress'] as const)('tell it before %s', (what) => {
    const world = new World();
    world.act({ op: 'flow', rounds: 2 });
    world.act({ op: 'call', brain: 'b1', kind: what === 'ask' ? 'ask' : 'quick' });
    world.act({ op: 'flow', rounds: 2 });
    if (what === 'progress') world.act({ op: 'progress', pick: 0, times: 1 });
    world.act({ op: 'flow', rounds: 2 });
    expect(accepted(world)).toHaveLength(1);
  });
});
