import { expect, it } from 'vitest';
import { soak } from './fixtures/soak.ts';

// More of it: npm run soak -- --minutes 10 --seed 1
it('whatever breaks on the way, no call runs twice, and each gets one result, whole', { timeout: 120_000 }, async () => {
  const report = await soak({ seed: 3, calls: 120, milliseconds: 4_000 });
  expect(report.wrong).toEqual([]);
  expect(report.faulted).toBeGreaterThan(50);
  expect(Math.max(report.relayPeak, report.handsPeak)).toBeLessThan(350_000_000);
});
