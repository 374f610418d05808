import { expect, it } from 'vitest';
import { condenseOutput } from './condense-output.ts';

it('leaves out tests of vitest that are planned, or were not begun when it stopped', () => {
  const text = ` RUN  v4.1.12\n${' ✓ src/a.test.ts (2 tests) 3ms\n'.repeat(20)}       □ later\n     · not begun\n· printed\n      Tests  1 failed (3)\n`;
  expect(condenseOutput(text, '/root')?.text).toBe('· printed\n      Tests  1 failed (3)\n');
});
