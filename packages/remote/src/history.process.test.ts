import { expect, it } from 'vitest';
import { runHistory } from './fixtures/history/history.ts';

// More of it: npm run soak -- history --minutes 10 --seed 1 --host nats --sealed
it('what was told is what ran, also where the state of a machine is copied and restored', { timeout: 240_000 }, async () => {
  const first = ['backup made', 'machine cloned', 'relay killed', 'backup restored'];
  const report = await runHistory({ seed: 2, host: 'node', isSealed: true, calls: 2_000, milliseconds: 8_000, workers: 24, first });
  expect(report.found).toEqual([]);
  expect(Object.keys(report.faults)).toEqual(expect.arrayContaining(first));
});
