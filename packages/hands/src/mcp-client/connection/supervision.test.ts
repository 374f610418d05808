import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOff, MAX_FAILURES, supervise, type Supervised, type SupervisionEvent } from './supervision.ts';

const idle: Supervised = { kind: 'idle', failures: 0 };
const connecting = (failures = 0): Supervised => ({ kind: 'connecting', failures });
const ready = (failures = 0, since = 1_000): Supervised => ({ kind: 'ready', failures, since });
const waiting: Supervised = { kind: 'waiting', failures: 2, reason: 'r', at: 9 };
const failed: Supervised = { kind: 'failed', failures: 10, reason: 'r' };
const stopped: Supervised = { kind: 'stopped', failures: 0 };

const wanted: SupervisionEvent = { type: 'wanted' };
const due: SupervisionEvent = { type: 'due' };
const stop: SupervisionEvent = { type: 'stop' };
const connected: SupervisionEvent = { type: 'connected', at: 1_000 };
const refused: SupervisionEvent = { type: 'refused', at: 1_000, reason: 'no', lasting: false };
const refusedForGood: SupervisionEvent = { type: 'refused', at: 1_000, reason: 'no', lasting: true };
const lost = (at = 2_000): SupervisionEvent => ({ type: 'lost', at, reason: 'died' });

describe('supervise', () => {
  // With random 1 a wait has its full length.
  it.each<[string, Supervised, SupervisionEvent, Supervised, string[]]>([
    ['the first who wants it connects it', idle, wanted, connecting(), ['connect']],
    ['what is being connected is not connected twice', connecting(), wanted, connecting(), []],
    ['what is ready stays', ready(), wanted, ready(), []],
    ['what waits has its time', waiting, wanted, waiting, []],
    ['what was given up is tried again when it is wanted', failed, wanted, connecting(10), ['connect']],
    ['after the wait it is tried again', waiting, due, connecting(2), ['connect']],
    ['a timer of another time does nothing', ready(), due, ready(), []],
    ['it connects', connecting(3), connected, ready(3, 1_000), []],
    ['a refusal waits', connecting(), refused, { kind: 'waiting', failures: 1, reason: 'no', at: 1_500 }, ['wait 500']],
    ['a further one waits longer', connecting(3), refused, { kind: 'waiting', failures: 4, reason: 'no', at: 5_000 }, ['wait 4000']],
    ['at some point it is given up', connecting(9), refused, { kind: 'failed', failures: 10, reason: 'no' }, []],
    ['what was given up and tried again is given up again at once', connecting(10), refused, { kind: 'failed', failures: 11, reason: 'no' }, []],
    ['what would fail again is not tried again', connecting(), refusedForGood, { kind: 'failed', failures: 1, reason: 'no' }, []],
    ['a death is cleaned up and waits', ready(), lost(), { kind: 'waiting', failures: 1, reason: 'died', at: 2_500 }, ['close', 'wait 500']],
    ['a death soon after another counts on', ready(3), lost(), { kind: 'waiting', failures: 4, reason: 'died', at: 6_000 }, ['close', 'wait 4000']],
    [
      'a death after a long life does not',
      ready(9),
      lost(61_000),
      { kind: 'waiting', failures: 1, reason: 'died', at: 61_500 },
      ['close', 'wait 500'],
    ],
    ['one that dies whenever it is started is given up', ready(9), lost(), { kind: 'failed', failures: 10, reason: 'died' }, ['close']],
    ['a death is heard of once', waiting, lost(), waiting, []],
    ['what is stopped is closed', ready(), stop, stopped, ['close']],
    ['so is what is being connected', connecting(), stop, stopped, ['close']],
    ['a stop is for good', stopped, wanted, stopped, []],
    ['a connection that comes too late is none', stopped, connected, stopped, []],
  ])('%s', (_, state, event, expected, effects) => {
    const step = supervise(state, event, 1);
    expect(step.state).toEqual(expected);
    expect(step.effects.map((effect) => (effect.do === 'wait' ? `wait ${effect.milliseconds}` : effect.do))).toEqual(effects);
  });

  it('keeps every wait within bounds', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
        const wait = backOff(failures, random);
        expect(wait).toBeGreaterThanOrEqual(250);
        expect(wait).toBeLessThanOrEqual(60_000);
      }),
    );
  });

  it('never has two attempts at once, and never waits without an end, whatever happens', () => {
    const event = fc.oneof(
      fc.constantFrom(wanted, due, connected, refused, refusedForGood, stop),
      fc.nat(200_000).map((at) => lost(at)),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (events, random) => {
        let state: Supervised = idle;
        for (const happened of events) {
          const before = state;
          const step = supervise(state, happened, random);
          state = step.state;
          const does = new Set(step.effects.map((effect) => effect.do));
          if (does.has('connect')) expect(['idle', 'failed', 'waiting']).toContain(before.kind);
          expect(does.has('wait')).toBe(state.kind === 'waiting' && before.kind !== 'waiting');
          if (state.kind === 'waiting') expect(state.failures).toBeLessThan(MAX_FAILURES);
          if (before.kind === 'stopped') expect(step).toEqual({ state: before, effects: [] });
        }
      }),
    );
  });
});
