import { expect, it } from 'vitest';
import { followFile } from './follow-file.ts';

it('knows no style of a file that ends before the text', () => {
  expect(followFile('})\n})\n', '})\n})', 'x')(0, 1)).toBeUndefined();
  expect(followFile('a’b', 'a', 'x')(0, 1)).toBeUndefined();
});

it('ends where the new text does', () => {
  const follow = followFile('a’b', "a'b", 'c’d');
  expect([follow(0, 3), follow(0, 99), follow(1, 2)]).toEqual(["c'd", "c'd", "'"]);
});
