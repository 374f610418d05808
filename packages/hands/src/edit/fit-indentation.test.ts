import { describe, expect, it } from 'vitest';
import { editedText } from '../testing/edited-text.ts';

/** The text after an edit, or the code of its refusal. */
function edited(...given: Parameters<typeof editedText>): string {
  const found = editedText(...given);
  return typeof found === 'string' ? found : found.code;
}

describe('new text for old text with other indentation', () => {
  it.each([
    ['fits the file already', '  a\n    b\n', 'a\n  b\n', '  a\n    c\n', '  a\n    c\n'],
    ['fits the file already, on other lines', '  a\n    b\n', 'a\n  b\n', '  c\n    d\n', '  c\n    d\n'],
    ['is shifted as the old text', '  a\n    b\n', 'a\n  b\n', 'a\n  c\n', '  a\n    c\n'],
    ['is both', '  a\n    b\n    d\n', 'a\n  b\n  d\n', 'a\n    b\n  e\n', 'no_match'],
    ['is neither', '  a\n    b\n', 'a\n  b\n', '      c\n', 'no_match'],
    ['one line with a space too many', 'f {\n  a\n}\n', '   a\n', '   a\n  b\n', 'no_match'],
    ['may be off in one line alone', 'f {\n    a\n}\nb\n', '        a\n', '        a\n    c\n', 'no_match'],
    ['is aligned to a column', 'f {\n  a(b)\n    c\n', '\ta(b)\n\t\tc\n', '\ta(d,\n\t\t\t\t\te)\n\t\tc\n', 'no_match'],
    ['is no text of one level more for sure', 'f:\n    a\n', 'f:\n  a\n', 'f:\n  a(\n      b)\n', 'no_match'],
    ['is further out than the one known line', 'f {\n    a\n    b\n', '  a\n  b\n', '  a\nEOF\n  b\n', 'no_match'],
    ['is one line off, before others of a column', '<a b="c" d="e">\n    f\n', ' <a b="c" d="e">\n', ' <a b="c"\n         d="e">\n', 'no_match'],
    ['fits two units by chance', 'a\n    b\n        c\n', '      b\n        c\n', '      b\n          d\n        c\n', 'no_match'],
    ['fits another place that is alike', '  a\n    b\nc\n      a\n    b\n', 'a\n  b\n', 'a\n  d\n', 'ambiguous_match'],
    ['stands at another place already', '    a\n      long_name\nc\n  a\n    b\n', 'a\n  b\n', 'a\n  long_name\n', 'no_match'],
    [
      'continues a line, in a column that tabs do not tell',
      'f {\n  a();\n  g {\n    b();\n  }\n}\n',
      'f {\n\ta();\n\tg {\n',
      "f {\n\ta('x'\n\t\t\t+ 'y');\n\tg {\n",
      'no_match',
    ],
    [
      'is meant for a line that is elsewhere as given',
      '    x_long(1)\n    b\nc\n  x_long(1) // d\n  b\n',
      '  x_long(1)\n  b\n',
      '  x_long(2)\n  b\n',
      'no_match',
    ],
    [
      'is not meant for a line that only begins alike',
      'x\n    return a\n    b\nc\n  return abc\n  d\n',
      '  return a\n  b\n',
      '  return d\n  b\n',
      'x\n    return d\n    b\nc\n  return abc\n  d\n',
    ],
    [
      'is not meant for a line with other text behind it',
      'x\n    return a\n    b\nc\n  return a + b\n  d\n',
      '  return a\n  b\n',
      '  return d\n  b\n',
      'x\n    return d\n    b\nc\n  return a + b\n  d\n',
    ],
    ['lost its levels', 'f {\n  if (a) {\n    b\n', '    if (a) {\n      b', '    if (a) {\n    c', 'no_match'],
  ])('%s', (_, text, old, fresh, expected) => {
    expect(edited(text, [old, fresh])).toBe(expected);
  });

  it('keeps the stars of block comments in their column', () => {
    const text = 'class A {\n  /**\n   * a\n   */\n  b() {\n    c\n  }\n}\n';
    const old = '\t/**\n\t * a\n\t */\n\tb() {\n\t\tc';
    const fresh = '\t/**\n\t\t* a\n\t\t* d\n\t\t*/\n\tb() {\n\t\tc';
    expect(edited(text, [old, fresh])).toBe(text.replace('   * a\n', '   * a\n   * d\n'));
  });
});
