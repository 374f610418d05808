import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hunksIn, takeHunks } from './hunks.ts';

const diffOf = (old: string, now: string): string => createTwoFilesPatch('a/x', 'b/x', old, now, undefined, undefined, { context: 3 });

function take(old: string, now: string, numbers: readonly number[]): string {
  const hunks = hunksIn(diffOf(old, now));
  return takeHunks(
    old,
    now,
    hunks.filter((_, index) => numbers.includes(index + 1)),
  );
}

const LINES = Array.from({ length: 20 }, (_, index) => `${index}\n`);
const OLD = LINES.join('');
const NOW = LINES.with(0, 'first\n').with(10, 'a\nb\n').with(19, 'last').join('');

describe('hunks', () => {
  it.each([
    ['none', [], OLD],
    ['the first', [1], LINES.with(0, 'first\n').join('')],
    ['one with more lines', [2], LINES.with(10, 'a\nb\n').join('')],
    ['the last, without the line break at the end', [3], LINES.with(19, 'last').join('')],
    ['those around one', [1, 3], LINES.with(0, 'first\n').with(19, 'last').join('')],
    ['all', [1, 2, 3], NOW],
  ])('are taken: %s', (_, numbers, expected) => {
    expect(take(OLD, NOW, numbers)).toBe(expected);
  });

  it.each([
    ['an empty text', '', 'a\nb'],
    ['a text that gets empty', 'a\nb\n', ''],
    ['lines that look like places and signs', '@@ -1 +1 @@\n-- a\n++ b\n', '@@ -2 +2 @@\n-- c\n++ b\n'],
    ['a place behind another separator of lines', 'a\r@@ -9 +9 @@\u2028@@ -1 +1 @@\nb\n', 'a\r@@ -9 +9 @@\u2028@@ -1 +1 @@\nc\n'],
    ['other line breaks', 'a\r\nb\r\n', 'a\nb\n'],
    ['a line break that is missing', 'a\nb\n', 'a\nb'],
    ['other separators of lines', 'a\u2028b\u0085c\fd\n', 'a\u2028b\u0085c\fe\n'],
  ])('are one in %s', (_, old, now) => {
    expect(hunksIn(diffOf(old, now)).length).toBe(1);
    expect([take(old, now, []), take(old, now, [1])]).toEqual([old, now]);
  });

  it('leave the rest of the difference, whichever are taken', () => {
    const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', ' \n', 'd\r\n', 'é\n'), { maxLength: 60 }).map((lines) => lines.join(''));
    const edits = fc.array(fc.tuple(fc.nat(59), fc.constantFrom('', 'x\n', 'y\nz\n', 'last')), { maxLength: 6 });
    fc.assert(
      fc.property(text, edits, fc.nat(31), (old, changes, mask) => {
        const lines = old.split(/(?<=\n)/u);
        for (const [at, line] of changes) lines.splice(at, 1, line);
        const now = lines.join('');
        const hunks = hunksIn(diffOf(old, now));
        const chosen = hunks.filter((_, index) => (mask >> index) % 2 === 1);
        const part = takeHunks(old, now, chosen);
        expect(takeHunks(old, now, hunks)).toBe(now);
        expect(takeHunks(old, now, [])).toBe(old);
        const rest = hunksIn(diffOf(part, now));
        expect(takeHunks(part, now, rest)).toBe(now);
        if (chosen.length === hunks.length) expect(rest).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('are none where a diff was cut', () => {
    const diff = diffOf(OLD, NOW);
    const cut = diff.slice(0, diff.indexOf('+b') + 3);
    expect(hunksIn(`${cut}… 9 more lines of the diff\n`)).toEqual(hunksIn(diff).slice(0, 1));
    expect(hunksIn('')).toEqual([]);
  });
});
