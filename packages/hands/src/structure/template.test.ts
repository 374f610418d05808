import { expect, it } from 'vitest';
import { fillTemplate, unknownParts, wordOf } from './template.ts';

it.each([
  ['foo($X, bar.quux)', 'quux'],
  ['$A && $A()', undefined],
  ['$jquery($X)', undefined],
  ['a$b.name', 'name'],
  ['if $E != nil { return $E }', 'return'],
  ['größe($$$)', 'größe'],
  ['f(123456)', 'f'],
])('the word of %s is %s', (pattern, word) => {
  expect(wordOf(pattern)).toBe(word);
});

it('puts in one part or many, and leaves other dollars', () => {
  const code = (name: string, many: boolean): string => `<${many ? 'many ' : ''}${name}>`;
  expect(fillTemplate('g($X, $$$REST, `${y}`, $lower)', code)).toBe('g(<X>, <many REST>, `${y}`, $lower)');
});

it('names the parts that a pattern does not have', () => {
  expect(unknownParts('f($X, $$$R)', 'g($X, $Y, $$$R, $R, $Y)')).toEqual(['$Y', '$R']);
});
