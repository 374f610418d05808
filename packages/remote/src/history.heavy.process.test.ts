import { expect, it } from 'vitest';
import { runHistory } from './fixtures/history/history.ts';

const first = ['backup made', 'machine cloned', 'relay killed', 'backup restored'];
/** Calls that take so long that most wait at the machine when it is copied. */
const options = { seed: 2, host: 'node', isSealed: true, calls: 2_000, milliseconds: 8_000, workers: 24, runMs: 150, first } as const;

// More of it: npm run soak -- history --minutes 10 --seed 1 --host nats --sealed
it('each answer says what ran, also where the state of a machine is copied and restored', { timeout: 240_000 }, async () => {
  const report = await runHistory(options);
  expect(report.found).toEqual([]);
  expect(Object.keys(report.faults)).toEqual(expect.arrayContaining(first));
});

// The control: without it, the run above could pass for a copy of a machine that had nothing to do. On lines that break, nothing may wait there.
it('finds calls that ran twice, where a copy of a machine does not know that it is one', { timeout: 240_000 }, async () => {
  const report = await runHistory({
    ...options,
    // More calls, and longer ones: many wait in both machines, also where all is slow.
    workers: 60,
    runMs: 600,
    isHidden: true,
    breaksLines: false,
    stuckMs: 20_000,
    milliseconds: 3_000,
    first: ['machine cloned'],
  });
  expect(new Set(report.found.map(([column]) => column))).toContain('ran twice');
});
