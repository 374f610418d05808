import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { type Matches, TextMatcher } from './match-text.ts';
import { spliceText } from './text-file.ts';

function find(source: string, oldText: string, newText = '', all = false): Matches | undefined {
  return new TextMatcher(source).find(oldText, newText, all);
}

/** What the file is after the change, and at which tier; how many matches where there is not one. */
function change(source: string, oldText: string, newText: string, all = false): string {
  const found = find(source, oldText, newText, all);
  if (found === undefined) return 'no match';
  const unclear = found.matches.find(({ replacement }) => typeof replacement === 'string');
  if (unclear !== undefined) return `unclear ${JSON.stringify(unclear.replacement).replaceAll('"', '')}`;
  if (found.count > 1 && !all) return `${found.count} at ${found.tier}`;
  return `${found.tier}: ${JSON.stringify(
    spliceText(
      source,
      found.matches.flatMap(({ replacement }) => (typeof replacement === 'string' ? [] : [replacement])),
    ),
  )}`;
}

const outcome = (tier: string, text: string): string => `${tier}: ${JSON.stringify(text)}`;

describe('white space at the end of a line', () => {
  const file = 'x\n  - a\n  - b \n\n  y\n';
  it.each([
    ['goes where the old text shows it and the new one does not', '   - a\n   - b \n', '   - a\n   - c\n', 'x\n  - a\n  - c\n\n  y\n'],
    ['goes also in new lines', '- a\n- b \n', '- a\n- c\n- d\n', 'x\n  - a\n  - c\n  - d\n\n  y\n'],
    ['stays where the new text has it too', '   - a\n   - b \n', '   - a\n   - c \n', 'x\n  - a\n  - c \n\n  y\n'],
    ['stays where the old text does not show it', '   - a\n   - b\n', '   - a\n   - c\n', 'x\n  - a\n  - c \n\n  y\n'],
    [
      'goes from all new lines where only changed ones have it',
      'x\n  - a   \n',
      'x\n  - c   \n  - d   \n',
      'x\n  - c\n  - d\n  - b \n\n  y\n',
      'trailing_whitespace',
    ],
    [
      'stays in an empty line where only the old text has more',
      'x  \n  - a  \n',
      'x\n  \n  - a\n',
      'x\n  \n  - a\n  - b \n\n  y\n',
      'trailing_whitespace',
    ],
    ['stays in lines that do not change', '   - a\n   - b \n', '   - z\n   - b \n', 'x\n  - z\n  - b \n\n  y\n'],
  ])('%s', (_, oldText, newText, after, tier = 'indentation') => {
    expect(change(file, oldText, newText)).toBe(outcome(tier, after));
  });

  it.each([
    ['some new lines have it', 'x  \n', 'y  \nz\n'],
    ['an empty line has other white space', 'x\n  - a\n  - b \n    \n', 'x\n  - a\n      \n  - b \n    \n'],
  ])('is refused where %s', (_, oldText, newText) => {
    expect(change(file, oldText, newText)).toBe('unclear typography');
  });
});

describe('the exact tier', () => {
  it.each([
    ['a word', 'one two three', 'two', '2', 'one 2 three'],
    ['LF in old text, CRLF in the file', 'a\r\nb\r\nc', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc'],
    ['CRLF in old text, LF in the file', 'a\nb\nc', 'a\r\nb', 'x\r\ny', 'x\ny\nc'],
    ['new lines in a file with CRLF', 'a\r\nb', 'b', 'b\nc', 'a\r\nb\r\nc'],
    ['the line ends of the region, not of the file', 'a\nb\nc\nd\r\ne\r\n', 'd\ne\n', 'd\nx\ne\n', 'a\nb\nc\nd\r\nx\r\ne\r\n'],
    ['mixed line ends in the part that stays', 'a\r\nb\nc\n', 'a\nb\nc', 'a\nb\nC', 'a\r\nb\nC\n'],
    ['a lone carriage return as the character it is', 'a\rb\nc', 'a\rb', 'a\rx', 'a\rx\nc'],
    ['a line break at the beginning', 'a\r\nb', '\nb', '\nc', 'a\r\nc'],
    ['a line break at the end', 'a\r\nb', 'a\n', '', 'b'],
    ['the text before a line break', 'a\r\nb', 'a', '', '\r\nb'],
    ['the end of the file without a line feed', 'a\nb', 'b', 'c', 'a\nc'],
    ['the whole file', 'abc', 'abc', '', ''],
    ['an emoji that shares half of its code', '😀 a', '😀', '😁', '😁 a'],
    ['what looks like a replacement pattern', 'price', 'price', "$& $1 $$ $` $' \\1", "$& $1 $$ $` $' \\1"],
    ['white space alone', 'a\t\tb', '\t\t', '\t', 'a\tb'],
  ])('%s', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText)).toBe(outcome('exact', expected));
  });

  it.each([
    ['twice', 'a b a', 'a', 2],
    ['overlapping', '\n\n\n', '\n\n', 2],
    ['with different line ends', 'a\nb a\r\nb', 'a\nb', 2],
    ['many times', 'x'.repeat(1000), 'x', 1000],
  ])('counts what occurs %s', (_, source, oldText, count) => {
    const found = find(source, oldText);
    expect(found).toMatchObject({ tier: 'exact', count });
    expect(found?.matches).toHaveLength(Math.min(count, 5));
  });

  it.each([
    ['in order', 'a b a', 'a', 'xa', 'xa b xa'],
    ['without overlap', 'aaaa a', 'aa', 'b', 'bb a'],
    ['over line ends', 'a\r\nb\r\na\r\nb', 'a\nb', 'c\nd', 'c\r\nd\r\nc\r\nd'],
  ])('replaces all %s', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText, true)).toBe(outcome('exact', expected));
  });
});

describe('the Unicode tier', () => {
  it.each([
    ['quotes', 'say “hello” now', 'say "hello" now', 'say "bye" now', 'say “bye” now'],
    ['an apostrophe kept in the part that stays', 'it’s old', "it's old", "it's new", 'it’s new'],
    ['dashes', 'a – b — c', 'a - b - c', 'a - b - d', 'a – b — d'],
    ['a no-break space', 'a\u00a0b', 'a b', 'a c', 'a\u00a0c'],
    ['an ellipsis for three dots', 'wait… now', 'wait... now', 'wait... then', 'wait… then'],
    ['three dots for an ellipsis', 'wait... now', 'wait… now', 'wait… then', 'wait... then'],
    ['typography in old text only', "it's 'x'", 'it’s ‘x’', 'it’s ‘y’', "it's 'y'"],
    ['a change within an ellipsis', 'wait…', 'wait...', 'wait..', 'wait..'],
    ['ideographic spaces', 'a\u3000b\r\nc', 'a b\nc', 'a b\nd', 'a\u3000b\r\nd'],
  ])('%s', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText)).toBe(outcome('unicode', expected));
  });

  it.each([
    ['part of an ellipsis', 'wait…', 'wait..', 'x', 'no match'],
    ['an exact match beats it', 'a-b a–b', 'a-b', 'x', 'exact: "x a–b"'],
    ['two at this tier', 'a—b a–b', 'a-b', 'x', '2 at unicode'],
    ['letters that look alike are not the same', 'p\u0430th', 'path', 'x', 'no match'],
    ['zero-width characters are not ignored', 'a\u200bb', 'ab', 'x', 'no match'],
    ['case is not ignored', 'ABC', 'abc', 'x', 'no match'],
  ])('%s', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText)).toBe(expected);
  });
});

describe('the tier of white space at line ends', () => {
  it.each([
    ['in the file', 'foo  \nbar', 'foo\nbar', 'foo\nbaz', 'foo  \nbaz'],
    ['in the file, with CRLF', 'foo \t\r\nbar\r\n', 'foo\nbar', 'foo\nbaz', 'foo \t\r\nbaz\r\n'],
    ['in old text', 'foo\nbar', 'foo  \nbar', 'foo  \nbaz', 'foo\nbaz'],
    ['at the end of old text', 'foo\nbar\n', 'foo\nbar \n', 'foo\nbaz \n', 'foo\nbaz\n'],
    ['at the end, without line feed', 'x foo\nbar', 'x foo ', 'y', 'y\nbar'],
    ['in a blank line', 'a\n    \nb', 'a\n\nb', 'a\n\nc', 'a\n    \nc'],
    ['with typography as well', '“a”  \nb', '"a"\nb', '"a"\nc', '“a”  \nc'],
    ['from the middle of a line', 'x(a,  \n  b)', '(a,\n  b)', '(a,\n  c)', 'x(a,  \n  c)'],
  ])('%s', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText)).toBe(outcome('trailing_whitespace', expected));
  });

  it.each([
    ['white space before more text is not at a line end', 'returned', 'return ', 'x', 'no match'],
    ['blank lines alone match nothing loosely', 'a\nb', ' \n', 'x', 'no match'],
    ['two at this tier', 'a \nb\na  \nb', 'a\nb', 'x', '2 at trailing_whitespace'],
  ])('%s', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText)).toBe(expected);
  });
});

describe('the indentation tier', () => {
  it.each([
    ['too little given', '    if (a) {\n      b();\n    }\n', 'if (a) {\n  b();\n}\n', 'if (a) {\n  c();\n}\n', '    if (a) {\n      c();\n    }\n'],
    ['too much given', 'if (a)\n  b();\n', '    if (a)\n      b();\n', '    if (a)\n      c();\n', 'if (a)\n  c();\n'],
    ['new lines are shifted too', '\ta\n\tb\n', 'a\nb', 'a\nnew\nb', '\ta\n\tnew\n\tb\n'],
    ['blank lines stay blank', '  a\n\n  b\n', 'a\n\nb', 'a\n\nx\n\nb', '  a\n\n  x\n\n  b\n'],
    ['CRLF', '  a\r\n  b\r\n', 'a\nb', 'a\nc', '  a\r\n  c\r\n'],
    ['at the beginning of the file', '  a\n  b', 'a\nb', 'c\nb', '  c\n  b'],
    ['with white space at line ends', '  a  \n  b', 'a\nb', 'a\nc', '  a  \n  c'],
    ['spaces for tabs', '\ta\n\t\tb\n', '    a\n        b\n', '    a\n            c\n', '\ta\n\t\t\tc\n'],
    ['tabs for spaces', 'x\n  a\n    b\n', '\ta\n\t\tb\n', '\ta\n\t\t\tc\n', 'x\n  a\n      c\n'],
    ['four spaces for two', '{\n  a\n    b\n', '{\n    a\n        b\n', '{\n    a\n            c\n', '{\n  a\n      c\n'],
    [
      'two spaces for four, with a comment',
      'f\n    /**\n     * a\n     */\n',
      'f\n  /**\n   * a\n   */\n',
      'f\n  /**\n   * b\n   */\n',
      'f\n    /**\n     * b\n     */\n',
    ],
    ['first line complete, the others not', 'x\n  a\n    b\n', ' a\n   b\n', ' a\n   c\n', 'x\n  a\n    c\n'],
  ])('%s', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText)).toBe(outcome('indentation', expected));
  });

  it.each([
    ['not the same for all lines', '    a\n  b\n', 'a\nb\n', 'x\ny\n', 'no match'],
    ['a line of the new text has too little to remove', 'a\nb\n', '  a\n  b\n', '  a\nc\n', 'unclear indentation'],
    // Four spaces for two, or two too many?
    ['one level alone does not tell the others', '{\n  a\n}\n', '    a\n', '    a\n        b\n', 'unclear indentation'],
    ['whole lines only', '  a(\n  b) + c\n', 'a(\nb)', 'x', 'no match'],
    ['two at this tier', '  a\n  b\n   a\n   b\n', 'a\n b', 'x', 'no match'],
    ['really two at this tier', '  a\n  b\n   a\n   b\n', 'a\nb', 'x', '2 at indentation'],
  ])('%s', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText)).toBe(expected);
  });

  it('replaces all, each with its own shift', () => {
    expect(change(' a\n b\n\ta\n\tb\n', 'a\nb\n', 'a\nc\n', true)).toBe(outcome('indentation', ' a\n c\n\ta\n\tc\n'));
  });
});

describe('one line, given without its indentation', () => {
  it.each([
    ['and the others with theirs', 'f\n    a();\n', 'a();', 'b();\n    c();', 'exact', 'f\n    b();\n    c();\n'],
    ['alone', 'f\n    a();\n', 'a();', 'b();', 'exact', 'f\n    b();\n'],
    ['as lines after it', 'f\n    a(\n      b)\n', 'a(\n      b)', 'c(\n      d)', 'exact', 'f\n    c(\n      d)\n'],
    ['with a part of it, and deleted: the rest of the line stays', '  ab\n', ' a', '', 'exact', ' b\n'],
    ['with a part of it, and deleted as a line', '{\n    a\n    b\n}\n', '  a\n', '', 'exact', '{\n    b\n}\n'],
    ['with a part of it: all lines are moved', '{\n  f\n    a();\n', '  a();', '  b();\n  c();', 'exact', '{\n  f\n    b();\n    c();\n'],
  ])('%s', (_, source, oldText, newText, tier, expected) => {
    expect(change(source, oldText, newText)).toBe(outcome(tier, expected));
  });

  it.each([
    ['others without theirs, too', 'f\n    a();\n', 'a();', 'b();\nc();'],
    ['a block that would not stand further in', 'f\n    a();\n', 'a();', 'if (b) {\n    c();'],
    ['a comment that would stand crooked', 'f\n  /** a */\n', '/** a */', '/**\n * b\n */'],
    ['a part of it before lines that are whole', 'f\n    a(\n      b)\n', '  a(\n      b)', '  c(\n      d)'],
  ])('is refused for %s', (_, source, oldText, newText) => {
    expect(change(source, oldText, newText)).toBe('unclear indentation');
  });
});

describe('typographic characters in both texts', () => {
  it.each([
    ['quotes are those of the file', "const a = 'x'\n", 'const a = ‘x’', 'const a = ‘xy’ + 1', "const a = 'xy' + 1\n"],
    ['also on new lines', 'f("a");\n', 'f(“a”);', 'f(“a”);\ng(“b”, ‘c’);', 'f("a");\ng("b", \'c\');\n'],
    ['old lines stay as they are', "// don’t\nf('a');\n", "// don't\nf('a');", "// don't\nf('b');", "// don’t\nf('b');\n"],
    ['an apostrophe is no quote', "don’t 'x'", "don't 'x'", "don't 'y', can't", "don’t 'y', can’t"],
    ['quotes of a typographic file', 'say “a” now', 'say "a" now', 'say "a" or "b" now', 'say “a” or “b” now'],
    ['dashes', 'a - b', 'a — b', 'a — b — c', 'a - b - c'],
  ])('%s', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText)).toBe(outcome('unicode', expected));
  });

  it.each([
    ['a quote that both stand for', "’a’ 'b'", '’a’ ’b’', '’a’ ’b’ ’c’', 'unclear typography'],
    ['a plain quote where the file has two', 'x “a', 'x "a', 'x "a" b', 'unclear typography'],
  ])('%s is refused', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText)).toBe(expected);
  });

  it('are literal where the old text is there exactly', () => {
    expect(change("a = 'x'\n", "a = 'x'", 'a = ‘x’')).toBe(outcome('exact', 'a = ‘x’\n'));
  });
});

describe('what is no part of the text', () => {
  it.each([
    ['a last line end that the file does not have', 'import a\nprint(1)', 'print(1)\n', 'print(1)\nprint(2)\n', 'import a\nprint(1)\nprint(2)'],
    ['the same with other lines before', 'a\nb\nc', 'b\nc\n', 'b\n', 'a\nb'],
    ['the same with other indentation', 'f\n  a\n    b', 'a\n  b\n', 'a\n  c\n  d\n', 'f\n  a\n    c\n    d'],
    ['line numbers of cat -n', 'a\n  b\nc\n', '     1\ta\n     2\t  b', '     1\ta\n     2\t  x', 'a\n  x\nc\n'],
    ['line numbers that moved', 'z\na\n  b\nc\n', '1→a\n2→  b', '1→a\n2→  x\n3→y', 'z\na\n  x\ny\nc\n'],
    ['line numbers in old text only', 'a\n  b\n', '1| a\n2|   b\n', 'a\n  x\n', 'a\n  x\n'],
    ['the number of the only line, for another one', '25\n', '     1\t25', '26', '26\n'],
    ['the number of a line', 'a\nb\n', '2: b', '2: x', 'a\nx\n'],
    ['an empty first line', '{\n  "a": 1\n}\n', '\n{\n  "a": 1', '\n{\n  "a": 2', '{\n  "a": 2\n}\n'],
    ['empty lines at the end', 'a\nb\nc\n', 'b\n\n', 'x\n\n', 'a\nx\nc\n'],
  ])('%s', (_, source, oldText, newText, expected) => {
    expect(change(source, oldText, newText)).toMatch(/^(?:exact|indentation): /u);
    expect(change(source, oldText, newText).replace(/^\w+: /u, '')).toBe(JSON.stringify(expected));
    expect(find(source, oldText, newText)?.without).toMatch(/^the /u);
  });

  it.each([
    ['a number that is not that of the line', 'a\nb\n', '7: b', '7: x'],
    ['numbers that do not follow each other', 'a\nb\n', '1: a\n3: b', '1: x\n3: y'],
    ['numbers on some lines of the new text', 'a\nb\n', '1: a\n2: b', '1: x\nb'],
    ['a last line end in the middle of the file', 'a b', 'a\n', 'x\n'],
    ['an empty line before a part of a line', '\n__all__ = 1\n', '\n\n_all__ = 1', '\n\n__all__ = 2'],
    ['what leaves no word', 'a ....\nb\n', '\n...\n', 'x\n'],
  ])('%s is not left out', (_, source, oldText, newText) => {
    expect(change(source, oldText, newText)).toBe('no match');
  });
});

describe('properties', () => {
  const piece = fc.constantFrom('a', 'b', ' ', '  ', '\t', '\n', '\r\n', '\r', '“', '"', '…', '...', '\u00a0', '–', '-', '😀', '$&');
  const text = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(''));

  it('changes nothing but the place that matched, at any tier', () => {
    fc.assert(
      fc.property(text, text, text, (source, oldText, newText) => {
        const found = find(source, oldText, newText);
        fc.pre(found !== undefined);
        for (const { start, end, replacement } of found.matches) {
          if (typeof replacement === 'string') continue;
          expect(start).toBeLessThanOrEqual(replacement.start);
          expect(replacement.start).toBeLessThanOrEqual(replacement.end);
          expect(replacement.end).toBeLessThanOrEqual(end);
          const after = spliceText(source, [replacement]);
          expect(after.slice(0, start)).toBe(source.slice(0, start));
          expect(after.endsWith(source.slice(end))).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('puts exactly the new text where the old text is, in a file with LF', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '$&', '$1', '“', '😀') });
    fc.assert(
      fc.property(plain, plain, plain, plain, (before, oldText, newText, after) => {
        fc.pre(oldText !== '' && oldText !== newText);
        // Behind white space of the file it may be given without its indentation, or with a part of it; the tests of that are above.
        fc.pre(!/(?:^|\n) +$/u.test(before) || !(oldText.startsWith(' ') || newText.startsWith(' ') || newText.includes('\n')));
        const source = `${before}${oldText}${after}`;
        const found = find(source, oldText, newText);
        fc.pre(found?.count === 1);
        expect(found).toMatchObject({ tier: 'exact', matches: [{ start: before.length }] });
        const { replacement } = found.matches[0]!;
        expect(replacement).not.toBeTypeOf('string');
        expect(spliceText(source, typeof replacement === 'string' ? [] : [replacement])).toBe(`${before}${newText}${after}`);
      }),
    );
  });

  it('puts a text that begins inside an indentation exactly there, or refuses', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '$&', '😀') });
    const margin = fc.constantFrom(' ', '  ', '    ', '\t');
    let done = 0;
    fc.assert(
      fc.property(margin, margin, word, word, word, fc.boolean(), (before, given, body, newText, after, line) => {
        fc.pre(body.trim() !== '');
        const oldText = `${given}${body}${line ? '\n' : ''}`;
        const source = `{\n${before}${oldText}${after}\n`;
        const found = find(source, oldText, newText);
        fc.pre(found?.count === 1 && found.tier === 'exact');
        const { replacement } = found.matches[0]!;
        if (typeof replacement === 'string') return;
        done += 1;
        // A whole line that becomes nothing, or only white space, may take its indentation along; nothing must leave it.
        const whole = `{\n${newText}${after}\n`;
        const kept = `{\n${before}${newText}${after}\n`;
        const right = !line || newText.trim() !== '' ? [kept] : newText === '' ? [whole] : [whole, kept];
        expect(right).toContain(spliceText(source, [replacement]));
      }),
      { numRuns: 500 },
    );
    expect(done).toBeGreaterThan(50);
  });
});

describe('hostile texts', () => {
  const million = 1_000_000;
  it.each([
    ['a long text that nearly matches everywhere', 'a'.repeat(4 * million), `${'a'.repeat(2 * million)}b`],
    ['one that differs at its beginning', 'a'.repeat(4 * million), `b${'a'.repeat(2 * million)}`],
    ['a long run of spaces', `x${' '.repeat(4 * million)}y`, `x${' '.repeat(million)}\ny`],
    ['a million lines that are alike', 'a\n'.repeat(million), `${' a\n'.repeat(400_000)}b`],
    ['a million lines with all kinds of indentation', ' a\n  a\n'.repeat(million / 2), '  a\n a\n'.repeat(200_000).concat('    a\n')],
    ['a line number before a text that stands everywhere', 'b a\n'.repeat(million), '1: a'],
    ['a million quotes', '“'.repeat(million), `${'"'.repeat(million / 2)}x`],
  ])('%s are gone through in linear time', (_, source, oldText) => {
    const started = computedMs();
    find(source, oldText, 'x');
    // Quadratic time would take hours; the bound is wide for slow machines.
    expect(computedMs() - started).toBeLessThan(10_000);
  });

  it.each([
    [
      'new lines that nearly stand everywhere',
      `  one_call();\n    two();\n${'a\n'.repeat(2_500_000)}`,
      '    one_call();\n      two();\n',
      `    one_call();\n${'b\n'.repeat(10)}${'a\n'.repeat(80_000)}`,
    ],
    [
      'an old line that nearly stands everywhere',
      `  x${'a'.repeat(80_000)}\n    two();\n${'a'.repeat(5 * million)}`,
      `    x${'a'.repeat(80_000)}\n      two();\n`,
      '    one();\n      two();\n',
    ],
  ])('%s are gone through in linear time', (_, source, oldText, newText) => {
    const started = computedMs();
    find(source, oldText, newText);
    expect(computedMs() - started).toBeLessThan(10_000);
  });
});
