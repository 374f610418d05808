import { expect, it } from 'vitest';
import { mayAddSteps } from './adds-steps.ts';

it.each([
  ['git rebase -x "npm test" main', true],
  ['git rebase main -ix make', true],
  ['git rebase\n--exec=make main', true],
  ['git rebase main', false],
  ['tar -x; git rebase main', false],
  ['git rebasex -x', false],
  // Quadratic time here would block the process for seconds; linear time is below a test's time limit by far.
  ['rebase '.repeat(1_000_000), false],
  [`rebase${' -aaaaaaa'.repeat(500_000)}`, false],
] as const)('%.30s may add steps: %s', (command, expected) => {
  expect(mayAddSteps(command)).toBe(expected);
});
