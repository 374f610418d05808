import { expect, it } from 'vitest';
import { FloodGauge } from './flood-gauge.ts';

const limits = { burst: 10, perSecond: 5, burstBytes: 1_000, bytesPerSecond: 100 };

it.each([
  ['a burst within the limit', [[0, 1, 10]], true],
  ['one more than the burst', [[0, 1, 11]], false],
  ['a steady stream', Array.from({ length: 100 }, (_, index) => [index * 250, 10, 1]), true],
  ['a stream a little too fast', Array.from({ length: 100 }, (_, index) => [index * 150, 1, 1]), false],
  ['one message of all bytes', [[0, 1_000, 1]], true],
  ['one message of more bytes', [[0, 1_001, 1]], false],
  [
    'a rest that refills no more than the burst',
    [
      [0, 1, 10],
      [1_000_000, 1, 11],
    ],
    false,
  ],
] as const)('%s', (_, sent, expected) => {
  let now = 0;
  const gauge = new FloodGauge(limits, () => now);
  let fits = true;
  for (const [at, bytes, count] of sent) {
    now = at;
    for (let index = 0; index < count; index += 1) fits = gauge.take(bytes) && fits;
  }
  expect(fits).toBe(expected);
});
