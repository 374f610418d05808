import { expect, it } from 'vitest';
import { textSlice } from './text-slice.ts';

it('keeps a byte order mark at the beginning of a slice', () => {
  const bytes = Buffer.from('\uFEFFa\uFEFF');
  const first = textSlice(bytes, 0, 4);
  expect(first).toEqual({ data: '\uFEFFa', next: 4 });
  expect(textSlice(bytes, first.next, 4)).toEqual({ data: '\uFEFF', next: 7 });
});

it('ends a slice between two characters', () => {
  expect(textSlice(Buffer.from('aä'), 0, 2)).toEqual({ data: 'a', next: 1 });
});
