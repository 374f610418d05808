import { expect, it } from 'vitest';
import { ProgressBudget } from './progress-budget.ts';

const MB = 1_048_576;

it('lets through what a reader can follow, and a share of the rest', () => {
  const calm = new ProgressBudget(0);
  for (let now = 0; now < 10_000; now += 50) expect(calm.take(16_384, now)).toBe(true);
  const flood = new ProgressBudget(0);
  let sent = 0;
  for (let count = 0; count < 300 * 16; count += 1) if (flood.take(65_536, count / 4)) sent += 65_536;
  expect(sent).toBeGreaterThan(MB / 2);
  expect(sent).toBeLessThan(5 * (MB / 4));
  // A clock that was set back gives nothing, and takes nothing for longer than it was wrong.
  expect(flood.take(65_536, -1_000_000)).toBe(false);
  expect(flood.take(65_536, -999_000)).toBe(true);
});
