import { expect, it } from 'vitest';
import { storm } from './fixtures/storm.ts';

it(
  'a thousand machines that lose their relay at once are back within ten seconds, in few attempts, and no call runs twice',
  { timeout: 120_000 },
  async () => {
    const { waits, attempts, counts, succeeded } = await storm(1_000, 30);
    expect(waits).toHaveLength(1_000);
    expect(waits[989]).toBeLessThan(10_000);
    expect(attempts).toBeLessThanOrEqual(3);
    expect(succeeded).toBe(true);
    expect([...counts.values()]).toEqual(Array.from({ length: 30 }, () => 1));
  },
);
