import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergeLines, mergeTexts } from './merge-lines.ts';

const lines = (text: string): string[] => text.split('');

it.each([
  ['abcde', 'Abcde', 'abcdE', 'AbcdE'],
  ['abcde', 'abcde', 'abXde', 'abXde'],
  ['abcde', 'aXcde', 'aXcde', 'aXcde'],
  ['abcde', 'aXcde', 'aYcde', undefined],
  // Beside each other: no side saw both.
  ['abcde', 'aXcde', 'abYde', undefined],
  ['abcde', 'aXcde', 'abcYe', 'aXcYe'],
  ['abcde', 'acde', 'abcdef', 'acdef'],
  ['abc', 'Xabc', 'abcY', 'XabcY'],
  ['abc', 'Xabc', 'Yabc', undefined],
  ['', 'X', 'Y', undefined],
  ['abc', '', 'abc', ''],
  ['abc', '', 'abX', undefined],
])('merges %j, %j and %j to %j', (base, one, other, expected) => {
  expect(mergeLines(lines(base), lines(one), lines(other))?.join('')).toBe(expected);
});

const text = (value: string, encoding: BufferEncoding = 'utf8'): Buffer => Buffer.from(value, encoding);

it('keeps line ends, byte order marks, missing line breaks at the end and malformed bytes', async () => {
  const merged = async (base: Buffer, one: Buffer, other: Buffer): Promise<Buffer | undefined> => await mergeTexts(base, one, other);
  expect(await merged(text('a\r\nb\r\nc'), text('A\r\nb\r\nc'), text('a\r\nb\r\nC'))).toEqual(text('A\r\nb\r\nC'));
  // A change of all line ends touches every other change.
  expect(await merged(text('a\nb\nc\n'), text('a\r\nb\r\nc\r\n'), text('a\nb\nC\n'))).toBeUndefined();
  const wide = (value: string): Buffer => text(`\uFEFF${value}`, 'utf16le');
  expect(await merged(wide('a\nb\nc\n'), wide('A\nb\nc\n'), wide('a\nb\nC\n'))).toEqual(wide('A\nb\nC\n'));
  expect(await merged(wide('a\nb\nc\n'), text('A\nb\nc\n'), wide('a\nb\nC\n'))).toBeUndefined();
  const latin = (value: string): Buffer => text(value, 'latin1');
  expect(await merged(latin('caf\xe9\nb\nc\n'), latin('caf\xe9\nb\nC\n'), latin('th\xe9\nb\nc\n'))).toEqual(latin('th\xe9\nb\nC\n'));
});

it('does not merge binary files, or too many changes', async () => {
  expect(await mergeTexts(text('a\0\nb\nc\n'), text('A\0\nb\nc\n'), text('a\0\nb\nC\n'))).toBeUndefined();
  const many = (mark: string): string[] => Array.from({ length: 9_000 }, (_, at) => `${mark}${at}`);
  expect(mergeLines(many('a'), many('b'), [...many('a'), 'end'])).toBeUndefined();
});

it('has only lines that a side has, and loses no change', () => {
  const word = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 });
  fc.assert(
    fc.property(word, word, word, (base, one, other) => {
      const merged = mergeLines(base, one, other);
      expect(merged).toEqual(mergeLines(base, other, one));
      if (merged === undefined) return;
      for (const line of merged) expect([...base, ...one, ...other]).toContain(line);
      // What one side alone did is what comes out.
      if (one.join('') === base.join('')) expect(merged).toEqual(other);
    }),
    { seed: 27, numRuns: 3_000 },
  );
});
