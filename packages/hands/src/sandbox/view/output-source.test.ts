import { expect, it } from 'vitest';
import { outputsNote } from './output-source.ts';

it('names the first three folders of build output, and counts the rest', () => {
  const shown = Array.from({ length: 1200 }, (_, index) => ({ path: `packages/p${index}/dist` }));
  expect(outputsNote(shown)).toContain('(packages/p0/dist, packages/p1/dist, packages/p2/dist and 1,197 more)');
  expect(outputsNote(shown.slice(0, 3))).toContain('(packages/p0/dist, packages/p1/dist, packages/p2/dist)');
});
