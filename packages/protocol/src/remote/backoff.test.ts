import fc from 'fast-check';
import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

it('waits at most half a second at first, then at most twice as long each time, and never longer than the line is broken', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.integer({ min: -1_000, max: 100_000_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, broken, jitter) => {
      const wait = backoffMs(attempt, broken, jitter);
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(Math.min(60_000, 500 * 2 ** attempt, Math.max(500, broken)));
    }),
  );
  expect(backoffMs(0, 0, 1)).toBe(500);
  expect(backoffMs(30, 1e9, 1)).toBe(60_000);
});
