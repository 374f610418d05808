import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAll, longestPrefix } from './find-all.ts';

describe('findAll', () => {
  it.each([
    ['abcabc', 'abc', true, [0, 3]],
    ['aaaa', 'aa', true, [0, 1, 2]],
    ['aaaa', 'aa', false, [0, 2]],
    ['abc', '', true, []],
    ['a', 'ab', true, []],
  ])('%s in %s (overlapping: %s)', (text, pattern, overlapping, expected) => {
    expect([...findAll(text, pattern, overlapping)]).toEqual(expected);
  });

  it.each([true, false])('finds in a huge text what it finds in a small one (overlapping: %s)', (overlapping) => {
    const unit = fc.constantFrom('a', 'b');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), fc.string({ unit, minLength: 1, maxLength: 4 }), (text, pattern) => {
        // Long enough for the linear search; the padding occurs nowhere else.
        const padding = 'x'.repeat(11_000);
        const found = [...findAll(`${text}${padding}${pattern}`, `${padding}${pattern}`, overlapping)];
        expect(found).toEqual([text.length]);
        const repeated = pattern.repeat(4000);
        const many = [...findAll(`${text}${repeated.repeat(4)}`, repeated, overlapping)];
        const expected: number[] = [];
        const haystack = `${text}${repeated.repeat(4)}`;
        for (let at = haystack.indexOf(repeated); at !== -1; at = haystack.indexOf(repeated, at + (overlapping ? 1 : repeated.length)))
          expected.push(at);
        expect(many).toEqual(expected);
      }),
      { numRuns: 10 },
    );
  });
});

describe('longestPrefix', () => {
  it.each([
    ['xxabcxx', 'abd', 2, 2],
    ['abab abac', 'abac', 4, 5],
    ['xyz', 'abc', 0, 0],
    ['', 'abc', 0, 0],
  ])('%s has of %s %i characters at %i', (text, pattern, length, position) => {
    expect(longestPrefix(text, pattern)).toEqual({ length, position });
  });
});
