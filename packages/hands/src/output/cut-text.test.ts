import { describe, expect, it } from 'vitest';
import { takeHead, takeTail } from './cut-text.ts';
import { ErrorLines, looksLikeError } from './error-lines.ts';

describe('takeHead and takeTail', () => {
  it.each([
    ['whole lines', 'one\ntwo\nthree\n', 9, 9, 'one\ntwo\n', 'three\n'],
    ['the line limit', 'one\ntwo\nthree\n', 99, 2, 'one\ntwo\n', 'two\nthree\n'],
    ['all there is', 'one\ntwo', 99, 9, 'one\ntwo', 'one\ntwo'],
    ['one long line', 'abcdefghij', 4, 9, 'abcd', 'ghij'],
    ['a short line beside a long one', `a\n${'x'.repeat(50)}\nb`, 20, 9, `a\n${'x'.repeat(18)}`, `${'x'.repeat(18)}\nb`],
    ['characters of several bytes', 'äöüß', 5, 9, 'äö', 'üß'],
    ['pairs', '😀😁😂', 7, 9, '😀', '😂'],
    ['no room', 'abc', 0, 9, '', ''],
    ['no lines', 'abc', 9, 0, '', ''],
    ['empty lines', '\n\n\n\n', 9, 2, '\n\n', '\n\n'],
  ])('%s', (_, text, bytes, lines, head, tail) => {
    expect(takeHead(text, { bytes, lines })).toBe(head);
    expect(takeTail(text, { bytes, lines })).toBe(tail);
  });
});

describe('error lines', () => {
  it.each([
    "src/app.ts(3,1): error TS2304: Cannot find name 'x'.",
    'TypeError: x is not a function',
    'ValueError: bad',
    'java.lang.NullPointerException',
    'FAIL src/a.test.ts',
    '✗ adds numbers',
    'error[E0425]: cannot find value',
    'sh: 1: foo: not found',
    'Segmentation fault',
    'npm ERR! 404 not found',
    '3 failures',
  ])('knows %s', (line) => {
    expect(looksLikeError(line)).toBe(true);
  });

  it.each(['compiling src/terrorist.ts', 'all good', '✓ passes', 'failover done'])('leaves %s', (line) => {
    expect(looksLikeError(line)).toBe(false);
  });

  it('are found with their places, however the text is cut', () => {
    const long = `${'x'.repeat(500)} error too late in the line`;
    const text = `ok\nerror one\n${long}\nok 1\nok 2\nok 3\nerror two\nfine\nfatal`;
    const whole = new ErrorLines(0);
    whole.take(text);
    const pieces = new ErrorLines(0);
    for (const character of text) pieces.take(character);
    expect(whole.found).toEqual([
      { at: 3, text: 'error one' },
      { at: text.indexOf(long), text: 'x'.repeat(400) },
      { at: text.indexOf('ok 1'), text: 'ok 1' },
      { at: text.indexOf('ok 2'), text: 'ok 2' },
      { at: text.indexOf('error two'), text: 'error two' },
      { at: text.indexOf('fine'), text: 'fine' },
    ]);
    expect(pieces.found).toEqual(whole.found);
  });
});
