import { expect, it } from 'vitest';
import { asInFile, fillTemplate, partsNotKept, reindented, unknownParts, wordOf } from './template.ts';

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
  expect(fillTemplate('g($X, $$$REST, `${y}`, $lower)', code)).toEqual({
    text: 'g(<X>, <many REST>, `${y}`, $lower)',
    parts: [{ start: 2, end: 5 }],
  });
});

it('writes a replacement with the line ends and the indentation of the file', () => {
  expect(asInFile('a\n  b\n\nc', '\tx();\r\n', 1)).toBe('a\r\n\t  b\r\n\r\n\tc');
  expect(asInFile('a\r\nb', 'x = y()', 4)).toBe('a\nb');
});

it('moves code to another indentation, but for what is kept or stands further out', () => {
  expect(reindented('a {\n    b\n  \n  }\n out', '  ', '\t', () => false)).toBe('a {\n\t  b\n  \n\t}\n out');
  expect(reindented('a `\n  b`\n  c', '  ', '', (at) => at === 3)).toBe('a `\n  b`\nc');
});

it('names the parts whose code is not kept', () => {
  expect(partsNotKept('f($_, $_A, $$$_B, $C)', 'g($_A, $_, $C, $$$_B)')).toEqual(['$_A', '$_', '$$$_B']);
  expect([partsNotKept('f($$$)', 'g($$$)'), partsNotKept('f($$$A)', 'g($$$A)'), partsNotKept('f($A)', '$$$.x')]).toEqual([['$$$'], [], []]);
});

it('names the parts that a pattern does not have', () => {
  expect(unknownParts('f($X, $$$R)', 'g($X, $Y, $$$R, $R, $Y)')).toEqual(['$Y', '$R']);
});
