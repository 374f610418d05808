import { describe, expect, it } from 'vitest';
import { groupsOf, lineExpression } from './search-pattern.ts';

describe('groupsOf', () => {
  it.each<[string, ReturnType<typeof groupsOf>]>([
    ['foo', 'closed'],
    ['(a|b)(c)', 'closed'],
    [String.raw`\(`, 'closed'],
    ['[)]', 'closed'],
    ['[]()]', 'closed'],
    ['[^])]', 'closed'],
    ['[a[)]b)]', 'closed'],
    [String.raw`[\])]`, 'closed'],
    ['[[:alpha:])]', 'closed'],
    ['(?i)a', 'closed'],
    ['a)(b', 'crossed'],
    ['a)|(b', 'crossed'],
    ['(a', 'open'],
    ['[a', 'open'],
    ['a\\', 'open'],
  ])('%s: %s', (pattern, expected) => {
    expect(groupsOf(pattern)).toBe(expected);
  });
});

describe('lineExpression', () => {
  it.each<[string, boolean, string]>([
    ['foo$', false, String.raw`(?R:foo$)(?-Ru:[^\n]*)`],
    ['a.b(c', true, String.raw`(?R:a\.b\(c)(?-Ru:[^\n]*)`],
    ['(?x)a # )', false, '(?x)a # )'],
    ['a)(b', true, String.raw`(?R:a\)\(b)(?-Ru:[^\n]*)`],
    ['(a', false, '(a'],
  ])('%s, literal %s', (pattern, literal, expected) => {
    expect(lineExpression({ pattern, literal })).toBe(expected);
  });
});
