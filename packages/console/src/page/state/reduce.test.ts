import type { ConsoleCall, ConsoleEvent, ConsoleServerFrame } from '@synapse/protocol/console';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeCalls } from './merge-calls.ts';
import { reduce } from './reduce.ts';
import { FIRST_STATE, type State } from './state.ts';

const call = (n: number, status: ConsoleCall['status'] = 'ok'): ConsoleCall => ({ n, id: `c${n}`, tool: 'read_file', args: '', time: n, status });
const calls = (...ns: number[]): ConsoleEvent => ({ type: 'calls', calls: ns.map((n) => call(n)) });
const snapshot = (more: Partial<Extract<ConsoleServerFrame, { type: 'snapshot' }>> = {}): Extract<ConsoleServerFrame, { type: 'snapshot' }> => ({
  type: 'snapshot',
  epoch: 'e1',
  seq: 0,
  project: '/p',
  version: '1',
  calls: [],
  approvals: [],
  jobs: [],
  runs: [],
  ...more,
});
const events = (seq: number, list: ConsoleEvent[], epoch = 'e1'): ConsoleServerFrame => ({ type: 'events', epoch, seq, events: list });
const play = (...frames: ReadonlyArray<Exclude<ConsoleServerFrame, { type: 'response' }>>): State => frames.reduce<State>(reduce, FIRST_STATE);
const ns = ({ calls: list }: Pick<State, 'calls'>): number[] => list.map(({ n }) => n);

type Frame = Exclude<ConsoleServerFrame, { type: 'response' }>;

describe('events', () => {
  it.each<[string, Frame[], number[], number, boolean]>([
    ['in order', [events(1, [calls(1)]) as Frame, events(2, [calls(2)]) as Frame], [1, 2], 2, false],
    ['twice', [events(1, [calls(1)]) as Frame, events(1, [calls(1)]) as Frame], [1], 1, false],
    ['overlapping', [events(1, [calls(1), calls(2)]) as Frame, events(2, [calls(2), calls(3)]) as Frame], [1, 2, 3], 3, false],
    ['with a gap', [events(1, [calls(1)]) as Frame, events(3, [calls(3)]) as Frame], [1], 1, true],
    ['after a gap, until everything was fetched again', [events(2, [calls(2)]) as Frame, events(1, [calls(1)]) as Frame], [], 0, true],
    ['of another epoch', [events(1, [calls(1)], 'e0') as Frame], [], 0, false],
  ])('%s', (_, frames, expected, seq, gap) => {
    const state = play(snapshot(), ...frames);
    expect([ns(state), state.seq, state.gap]).toEqual([expected, seq, gap]);
  });

  it('are taken in again after a snapshot closed the gap', () => {
    const state = play(snapshot(), events(5, [calls(9)]) as Frame, snapshot({ seq: 5, calls: [call(9)] }), events(6, [calls(10)]) as Frame);
    expect([ns(state), state.gap, state.seq]).toEqual([[9, 10], false, 6]);
  });

  it('of another project begin with nothing', () => {
    expect(ns(play(snapshot({ calls: [call(1)] }), snapshot({ epoch: 'e2', calls: [call(7)] })))).toEqual([7]);
  });

  it('count stale topics, and keep the newest of approvals, jobs and runs', () => {
    const state = play(
      snapshot(),
      events(1, [
        { type: 'stale', topics: ['policy'] },
        { type: 'stale', topics: ['policy', 'tools'] },
      ]) as Frame,
    );
    expect(state.stale).toEqual({ policy: 2, tools: 1 });
  });
});

it('history goes before what is there, once', () => {
  const history: Frame = { type: 'history', epoch: 'e1', calls: [call(1), call(2)], complete: true };
  const state = play(snapshot({ calls: [call(3)] }), history, history);
  expect([ns(state), state.loading]).toEqual([[1, 2, 3], false]);
});

it('a call that has ended does not run again when news of its start come late', () => {
  expect(mergeCalls([call(1)], [call(1, 'running')])[0]?.status).toBe('ok');
  expect(mergeCalls([call(1, 'running')], [call(1)])[0]?.status).toBe('ok');
});

it('whatever comes, in whatever order and however often: each call is there once, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 }), { maxLength: 12 }), (batches) => {
      const merged = batches.reduce<readonly ConsoleCall[]>(
        (list, batch) =>
          mergeCalls(
            list,
            batch.map((n) => call(n)),
          ),
        [],
      );
      expect(ns({ calls: merged })).toEqual([...new Set(batches.flat())].toSorted((a, b) => a - b));
    }),
  );
});
