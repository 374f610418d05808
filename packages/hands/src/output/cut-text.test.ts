import { describe, expect, it } from 'vitest';
import { cutText, takeHead, takeTail } from './cut-text.ts';
import { ErrorLines, looksLikeError, looksLikeTotal } from './error-lines.ts';

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

  it.each([
    ' Test Files  1 failed | 2 passed (3)',
    '      Tests  118 passed (118)',
    'Tests:       1 failed, 2 passed, 3 total',
    'ℹ pass 12',
    '# fail 0',
    '  12 passing (30ms)',
    '===== 3 failed, 12 passed in 1.23s =====',
    '12 passed in 0.40s',
    'test result: ok. 5 passed; 0 failed; 0 ignored',
    'ok  \texample.com/pkg\t0.012s',
    'OK (3 tests, 4 assertions)',
    '10 examples, 0 failures',
    '12 runs, 30 assertions, 0 failures, 0 errors, 0 skips',
    'Ran 12 tests in 0.002s',
    '[INFO] Tests run: 4, Failures: 0',
    'BUILD SUCCESSFUL in 3s',
    'ok | 5 passed | 0 failed (20ms)',
  ])('%s is a total', (line) => {
    expect(looksLikeTotal(line)).toBe(true);
  });

  it.each(['Tests are in test/', 'ok, go on', '12 files changed', ' logger.ts | 100 | 100 |', '1..3 are read'])('%s is none', (line) => {
    expect(looksLikeTotal(line)).toBe(false);
  });

  it('totals stay in front of a table that fills the end, also after very many errors', () => {
    const table = Array.from({ length: 400 }, (_, index) => ` file${index}.ts | 100 | 100 | 100 | 100 |\n`).join('');
    const failures = Array.from({ length: 300 }, (_, index) => `Error: number ${index}\n`).join('');
    const totals = ' Test Files  1 failed | 2 passed (3)\n      Tests  118 passed (118)\n';
    for (const text of [failures + totals + table, `${'ok\n'.repeat(3_000)}${totals}${table}`]) {
      const lines = new ErrorLines(100);
      lines.take(text);
      const long = { head: text.slice(0, 4_096), tail: text.slice(4_096), errors: lines.found, totals: lines.totals };
      const sizes = { totalBytes: text.length, totalLines: text.split('\n').length - 1, totalLength: text.length };
      const cut = cutText({ ...long, ...sizes }, { outputBytes: 4_096, outputLines: 200, lineCharacters: 2_000 }, 'ends');
      expect(cut).toContain(totals);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(4_096);
    }
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
