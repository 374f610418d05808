import { expect, it } from 'vitest';
import { spansOf } from './spans.ts';

const ended = (time: number, ms: number) => ({ time, ms, status: 'ok' }) as const;

it('places calls by their start and duration, and tells the time in which none ran', () => {
  expect(spansOf([ended(1_000, 100), ended(1_400, 600)], 9_000)).toEqual([
    { left: 0, width: 10, waited: 0 },
    { left: 40, width: 60, waited: 300 },
  ]);
});

it('calls at the same time leave no gap, and a short one at the end stays visible', () => {
  const [, during, after] = spansOf([ended(0, 1_000), ended(200, 10), ended(1_000, 0)], 0);
  expect(during).toMatchObject({ left: 20, waited: 0 });
  expect(after).toEqual({ left: 99.4, width: 0.6, waited: 0 });
});

it('a call that runs goes on until now, and one that was interrupted has no known end', () => {
  expect(spansOf([ended(0, 100), { time: 500, status: 'running' }], 1_000)[1]).toEqual({ left: 50, width: 50, waited: 400 });
  expect(spansOf([ended(0, 1_000), { time: 500, status: 'interrupted' }], 9_000)[1]).toEqual({ left: 50, width: 0.6, waited: 0 });
  // The clock was set back.
  expect(spansOf([{ time: 500, status: 'running' }], 100)).toEqual([{ left: 0, width: 0.6, waited: 0 }]);
});

it('places nothing where nothing was called', () => {
  expect(spansOf([], 0)).toEqual([]);
});
