import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeBetween, revertChange } from './revert.ts';

describe('revertChange', () => {
  it('gives the text as it was, to the letter', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '😀', '\ud83d') });
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(revertChange(after, changeBetween(before, after))).toBe(before);
      }),
    );
  });

  it.each([
    ['what was inserted has moved', 'ac', 'abbc', 'xx abbc', 'xx ac'],
    ['it is there twice', 'ac', 'abbc', 'abbc abbc', undefined],
    ['it is gone', 'ac', 'abbc', 'ac', undefined],
    ['something was replaced, and more changed', 'a1c', 'a2c', 'a2c 2', undefined],
  ])('%s', (_, before, after, now, expected) => {
    expect(revertChange(now, changeBetween(before, after))).toBe(expected);
  });
});
