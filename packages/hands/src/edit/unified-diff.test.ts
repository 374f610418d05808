import { applyPatch } from 'diff';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexLines } from './lines.ts';
import { spliceText } from './text-file.ts';
import { unifiedDiff } from './unified-diff.ts';

describe('unifiedDiff', () => {
  it.each([
    ['one word', 'a\nb\nc\n', [{ start: 2, end: 3, text: 'x' }], '@@ -1,3 +1,3 @@\n a\n-b\n+x\n c'],
    ['a new line', 'a\nb\n', [{ start: 2, end: 2, text: 'x\n' }], '@@ -1,2 +1,3 @@\n a\n+x\n b'],
    ['a line less', 'a\nb\nc\n', [{ start: 2, end: 4, text: '' }], '@@ -1,3 +1,2 @@\n a\n-b\n c'],
    [
      'a last line without line feed',
      'a',
      [{ start: 0, end: 1, text: 'b' }],
      '@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file',
    ],
    [
      'two words of one line',
      'a b c\n',
      [
        { start: 0, end: 1, text: 'x' },
        { start: 4, end: 5, text: 'y' },
      ],
      '@@ -1,1 +1,1 @@\n-a b c\n+x b y',
    ],
    ['everything', 'a\n', [{ start: 0, end: 2, text: '' }], '@@ -1,1 +0,0 @@\n-a'],
    ['CRLF', 'a\r\nb\r\n', [{ start: 3, end: 4, text: 'x' }], '@@ -1,2 +1,2 @@\n a\n-b\n+x'],
  ])('%s', (_, text, replacements, expected) => {
    expect(unifiedDiff(text, indexLines(text), replacements)).toBe(expected);
  });

  it('can be applied by others', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 }).map((all) => all.join('\n'));
    fc.assert(
      fc.property(lines, fc.array(fc.tuple(fc.nat(20), fc.nat(6), fc.constantFrom('', 'x', 'y\n', '\nz\n')), { maxLength: 4 }), (text, places) => {
        let position = 0;
        const replacements = places.flatMap(([skip, length, replacement]) => {
          const start = position + skip;
          position = start + length;
          return position > text.length ? [] : [{ start, end: position, text: replacement }];
        });
        const hunks = unifiedDiff(text, indexLines(text), replacements);
        expect(applyPatch(text, `--- a\n+++ b\n${hunks}\n`)).toBe(spliceText(text, replacements));
      }),
    );
  });

  it('is cut with a word about the rest', () => {
    const text = 'a\n'.repeat(1000);
    const replacements = Array.from({ length: 1000 }, (_, index) => ({ start: index * 2, end: index * 2 + 1, text: 'b' }));
    const diff = unifiedDiff(text, indexLines(text), replacements);
    expect(diff.split('\n').length).toBeLessThan(100);
    expect(diff).toMatch(/… [\d,]+ more lines of the diff$/u);
  });
});
