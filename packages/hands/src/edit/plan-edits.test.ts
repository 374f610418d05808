import { isSynapseError, type SynapseError } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import type { SearchedFile } from './edit-errors.ts';
import { indexLines } from './lines.ts';
import { type Edit, planEdits } from './plan-edits.ts';
import { spliceText } from './text-file.ts';

const file = (text: string, path = 'a.ts'): SearchedFile => ({ path, text, lines: indexLines(text), version: 'v2' });
const edit = (old_text: string, new_text: string, replace_all = false): Edit => ({ old_text, new_text, replace_all });

function apply(text: string, edits: readonly Edit[], version?: string): string {
  return spliceText(text, planEdits(file(text), edits, version).replacements);
}

function failure(text: string, edits: readonly Edit[], version?: string): SynapseError {
  try {
    planEdits(file(text), edits, version);
  } catch (error) {
    if (isSynapseError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('planEdits', () => {
  it.each([
    ['in any order', 'one two three', [edit('three', '3'), edit('one', '1')], '1 two 3'],
    ['against the original, not against each other', 'a b', [edit('a', 'b'), edit('b', 'c')], 'b c'],
    ['right beside each other', 'ab', [edit('a', 'x'), edit('b', 'y')], 'xy'],
    ['one and all', 'a b b', [edit('a', 'x'), edit('b', 'y', true)], 'x y y'],
  ])('applies several %s', (_, text, edits, expected) => {
    expect(apply(text, edits)).toBe(expected);
  });

  it('tells line, tier and count of each', () => {
    const { edits } = planEdits(file('a\n“b”\nc c\n'), [edit('"b"', '"d"'), edit('c', 'x', true)], undefined);
    expect(edits).toEqual([
      { line: 2, tier: 'unicode', count: 1 },
      { line: 3, tier: 'exact', count: 2 },
    ]);
  });

  it.each([
    ['no edits', 'a', [], 'edits is empty', '{ old_text, new_text'],
    ['empty old text', 'a', [edit('', 'x')], 'edits[0].old_text is empty', 'write_file'],
    ['nothing new', 'a', [edit('a', 'b'), edit('a', 'a')], 'edits[1]: old_text and new_text are the same', 'Each edit is'],
    ['only line ends new', 'a\n', [edit('a\n', 'a\r\n')], 'differ in line ends only', 'write_file'],
    ['overlapping edits', 'a b c', [edit('b c', 'x'), edit('a b', 'y')], 'edits[0] and edits[1] change the same text', 'Join'],
    ['the same edit twice', 'a', [edit('a', 'x'), edit('a', 'x')], 'edits[0] and edits[1]', 'Join'],
  ])('refuses %s with advice', (_, text, edits, message, hint) => {
    const error = failure(text, edits);
    expect(error.code).toBe('invalid_arguments');
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  it.each([
    ['what is there already', 'x “a” y', [edit('"a"', '“a”')], 'a.ts has the new text already (line 1)'],
    ['elided text', 'a\nb\nc', [edit('a\nb\nc', 'a\n// ... existing code ...\nd')], 'edits[0].new_text has "// ... existing code ..."'],
  ])('refuses %s', (_, text, edits, message) => {
    expect(failure(text, edits)).toMatchObject({ code: 'invalid_arguments', message: expect.stringContaining(message) as string });
  });

  it('says which edit changes nothing beside others', () => {
    expect(planEdits(file('“a”\nb'), [edit('"a"', '“a”'), edit('b', 'c')], undefined).notes).toContain(
      'edits[0] changes nothing: line 1 reads so already.',
    );
  });

  it('says that a file of prose had no typographic quotes', () => {
    expect(planEdits(file('a\n', 'a.md'), [edit('a', '‘a’')], undefined).notes).toEqual([expect.stringContaining('typographic quotes')]);
    expect(planEdits(file('a ’\n'), [edit('a', '‘a’')], undefined).notes).toEqual([]);
  });

  it('is not made a second time at a place that is only alike', () => {
    const text = 'if (a) {\n  b();\n  c(1);\n}\n\n  if (a) {\n    b();\n  }\n';
    const error = failure(text, [edit('if (a) {\n  b();\n}', 'if (a) {\n  b();\n  c(1);\n}')]);
    expect(error).toMatchObject({ code: 'no_match', hint: expect.stringContaining('new_text is already there (line 1)') as string });
  });

  it('is all or nothing: one that fails fails the call', () => {
    expect(failure('a b', [edit('a', 'x'), edit('c', 'y')])).toMatchObject({
      code: 'no_match',
      message: expect.stringContaining('edits[1].old_text'),
    });
  });

  it('is not made elsewhere, only alike, where another edit of the call brings its text', () => {
    const edits = [edit('if (a) {\n  b();', 'if (a) {\n  return 1;'), edit('  return 1;', '  return 2;')];
    expect(failure('if (a) {\n  b();\n}\n\treturn 1;\n', edits).message).toContain('text that edits[0] brings');
    expect(apply('if (a) {\n  b();\n}\n  return 1;\n', edits)).toBe('if (a) {\n  return 1;\n}\n  return 2;\n');
  });

  it('refuses more work than a call may take', () => {
    const text = 'ab\n'.repeat(1_000_000);
    expect(
      failure(
        text,
        Array.from({ length: 200 }, (_, index) => edit(`${index}`, 'x')),
      ),
    ).toMatchObject({ code: 'too_large' });
    expect(failure('a'.repeat(1_000_001), [edit('a', 'b', true)])).toMatchObject({ code: 'too_large' });
  });
});

describe('several matches', () => {
  it('are listed with their lines, the first of them only', () => {
    const error = failure('x = 1;\n'.repeat(8), [edit('x = 1', 'x = 2')]);
    expect(error.code).toBe('ambiguous_match');
    expect(error.message).toContain('occurs 8 times in a.ts');
    expect(error.hint).toContain('1 | x = 1;\n2 | x = 1;');
    expect(error.hint).toContain('… and 3 more');
    expect(error.hint).toContain('replace_all');
    expect(error.details).toEqual({ path: 'a.ts', version: 'v2', tier: 'exact', count: 8, lines: [1, 2, 3, 4, 5] });
  });
});

describe('a stale version', () => {
  it.each([
    ['an exact, unique match', 'new line\na\nb', [edit('a', 'x')], 'new line\nx\nb'],
    ['all of one', 'a', [edit('a', 'x', true)], 'x'],
  ])('does not matter for %s', (_, text, edits, expected) => {
    expect(apply(text, edits, 'v1')).toBe(expected);
  });

  it.each([
    ['is gone', 'const a = 1;\nconst b = 2;\n', edit('const a = 0;', 'x'), 'is no longer there', '1 | const a = 1;'],
    ['is there twice', 'a\na\n', edit('a', 'x', true), 'now occurs 2 times', '1 | a'],
    ['matches loosely only', '“a”\n', edit('"a"', 'x'), 'no longer exactly the same', '1 | “a”'],
  ])('is refused where the text %s, with what is there now', (_, text, one, message, hint) => {
    const error = failure(text, [one], 'v1');
    expect(error).toMatchObject({ code: 'conflict', details: { version: 'v2', expected_version: 'v1' } });
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
    expect(error.hint).toContain('v2');
  });

  it('is none where it is the current one', () => {
    expect(apply('“a”', [edit('"a"', 'x')], 'v2')).toBe('x');
  });
});

describe('a miss', () => {
  it.each([
    [
      'a tab for spaces',
      'if (a) {\nreturn\t1;\n}\n',
      'if (a) {\nreturn 1;\n}',
      'line 2, column 7: the file has TAB (U+0009)',
      'has SPACE (U+0020)',
      'return→1;',
    ],
    [
      'a letter that looks alike',
      'const p\u0430th = 1;\n',
      'const path = 1;',
      'the file has "\u0430" (U+0430)',
      'has "a" (U+0061)',
      'line 1, column 8',
    ],
    ['a zero-width space', 'foo\u200bbar(1)\n', 'foobar(1)', 'ZERO WIDTH SPACE (U+200B)', 'has "b" (U+0062)', 'foo<U+200B>bar'],
    ['a carriage return', 'abc\rdef\n', 'abcdef', 'CARRIAGE RETURN (U+000D)', 'has "d"', 'abc<U+000D>def'],
    [
      'another letter',
      'a\nfunction foo() {\n  return 1;\n}\nb\n',
      'function foo() {\n  return 2;\n}',
      'line 3, column 10',
      'has "2"',
      '2 | function foo() {',
    ],
    ['a word in the middle of a line', '\tconst b = 1;\n', 'const c = 1;', 'line 1, column 8', 'the file has "b"', 'has "c"'],
    ['a line that ends earlier', 'one\ntwo\nthree\n', 'one\ntwo and more\nthree', 'the file has the end of the line', 'has SPACE', 'lines 1–3'],
    [
      'a fragment of a long line',
      `${'x'.repeat(5000)} function(a,b){return a+b} ${'y'.repeat(5000)}`,
      'function(a,b){return a-b}',
      'column 5024',
      'has "-"',
      'the file has "+"',
    ],
    [
      'a line in the middle of others',
      `${'{\n}\n'.repeat(100)}needle = value;\n${'{\n}\n'.repeat(100)}`,
      'needle = values;\n{\n}',
      'line 201',
      'has "s"',
      '201 | needle = value;',
    ],
  ])('makes %s visible', (_, text, oldText, ...expected) => {
    const error = failure(text, [edit(oldText, 'x')]);
    expect(error).toMatchObject({ code: 'no_match', message: 'edits[0].old_text was not found in a.ts; nothing was changed.' });
    for (const part of [...expected, 'version is v2']) expect(error.hint).toContain(part);
  });

  it('says so where nothing is near', () => {
    expect(failure('abc\ndef\n', [edit('completely different 123', 'x')])).toMatchObject({
      hint: expect.stringContaining('Nothing in a.ts is like it (2 lines).'),
      details: { path: 'a.ts', version: 'v2' },
    });
  });

  it('has typed details', () => {
    expect(failure('a1\nb2\nc3\n', [edit('a1\nb2\nc4', 'x')]).details).toEqual({
      path: 'a.ts',
      version: 'v2',
      nearest: { start_line: 1, end_line: 3, similarity: 0.88 },
      difference: { line: 3, column: 2 },
    });
  });

  it('stays short, also for long lines and regions', () => {
    const text = Array.from({ length: 500 }, (_, index) => `${'long '.repeat(2000)}${index}`).join('\n');
    const error = failure(text, [edit(text.replace('499', 'x'), 'y')]);
    expect(error.code).toBe('no_match');
    expect(error.hint?.length).toBeLessThan(5000);
  });

  it.each([
    ['one line of 10 MB', 'abcdefghij'.repeat(1_000_000), 'abcdefghiX'.repeat(100_000)],
    ['a million lines', 'some line that repeats\n'.repeat(450_000), 'some line that repeat\n'.repeat(200_000)],
    ['a million different lines', Array.from({ length: 500_000 }, (_, index) => `line ${index}`).join('\n'), `line 400000x\nlins 400001\n`],
  ])('fails in bounded time for %s', (_, text, oldText) => {
    const started = computedMs();
    expect(failure(text, [edit(oldText, 'x')]).code).toBe('no_match');
    // It takes about a second; the bound is wide for slow machines.
    expect(computedMs() - started).toBeLessThan(10_000);
  });
});

it('looks for the old text of one edit in that of the others in linear time', () => {
  const old = `  x${'a'.repeat(80_000)} `;
  const started = computedMs();
  expect(failure(`\u2003\u2003x${'a'.repeat(80_000)}\n`, [edit(old, 'b'), edit('c', 'a'.repeat(5_000_000))]).code).toBe('no_match');
  expect(computedMs() - started).toBeLessThan(10_000);
});

it.each([
  [
    'old',
    '    x_long(1)\n    b\nc\n  x_long(1) // d\n  b\n',
    '  x_long(2)\n  b\n',
    'Line 4 has a line of edits[0].old_text exactly as given',
    '4 |   x_long(1) // d',
  ],
  ['new', '    x_long(1)\n    b\nc\n      x_long(2)\n      b\n', '  x_long(2)\n  b\n', 'Line 4 has new_text already', '4 |       x_long(2)'],
])('names the line elsewhere that %s text is like', (_, text, fresh, message, line) => {
  const { code, hint } = failure(text, [edit('  x_long(1)\n  b\n', fresh)]);
  expect([code, hint]).toEqual(['no_match', expect.stringContaining(message)]);
  expect(hint).toContain(line);
});

it('replaces all that is alike where one place has the new text already', () => {
  expect(apply('a_name  \nb\nanother_name\na_name  \nb\n', [edit('a_name\nb', 'another_name\nb', true)])).toBe(
    'another_name  \nb\nanother_name\nanother_name  \nb\n',
  );
  expect(apply('  old_name()\n  b\nanother()\n    old_name()\n    b\n', [edit('old_name()\nb', 'another()\nb', true)])).toBe(
    '  another()\n  b\nanother()\n    another()\n    b\n',
  );
});
