import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { mayAddSteps } from './adds-steps.ts';

it.each([
  ['git rebase -x "npm test" main', true],
  ['git rebase main -ix make', true],
  ['git rebase\n--exec=make main', true],
  ['git rebase main', false],
  ['tar -x; git rebase main', false],
  ['git rebasex -x', false],
] as const)('%.30s may add steps: %s', (command, expected) => {
  expect(mayAddSteps(command)).toBe(expected);
});

it.each(['rebase '.repeat(1_000_000), `rebase${' -aaaaaaa'.repeat(500_000)}`, `rebase -${'a'.repeat(4_000_000)}`])(
  'takes bounded steps for %.20s…',
  (command) => {
    const start = computedMs();
    expect(mayAddSteps(command)).toBe(false);
    // Some tens of milliseconds. Quadratic time, such as that of one pattern for both words, takes an hour.
    expect(computedMs() - start).toBeLessThan(2_000);
  },
);
