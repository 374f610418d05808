import { describe, expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { editedText } from '../testing/edited-text.ts';

/** The text after an edit, or the reason and the hint of its refusal. */
function edited(...given: Parameters<typeof editedText>): string {
  const found = editedText(...given);
  return typeof found === 'string' ? found : `${found.message}\n${found.hint}`;
}

describe('a literal edit that is hardly meant as it is', () => {
  it.each([
    ['a lost line end', 'a\nb\n', 'a\n', 'x', 'would be joined to the next', 'End both texts with a line end'],
    ['a line end more', 'a\nb\n', 'a', 'x\n', 'an empty line would follow', 'give the line after it in both'],
    ['marks of a diff', 'a\nb\n', 'a', '+a\n+c', 'has a + before its lines', 'without the marks'],
    ['marks of a diff in a file with tables', '+---+\n| a |\n+---+\n', '| a |', '+| a |\n+| b |', 'has a + before its lines', 'without the marks'],
    ['marks of a diff in a file that shows one elsewhere', '+x\n\na\n', 'a', '+b\n+c', 'has a + before its lines', 'without the marks'],
    ['a copied line with typographic quotes', '// it\'s "a"\nb\n', '// it\'s "a"\nb', "// it's “a”\nc", '"“" (U+201C)', 'Send it with'],
    ['a dash before a number', 'a\n', 'a', 'f(–1)', '"–" (U+2013)', 'Send it with "-"'],
    ['an ellipsis within code', 'a\n', 'a', '// `f(); …` is not run\na', 'U+2026', 'Send it with "..."'],
    ['a character for the dots of a spread', 'f(a)\n', 'f(a)', 'f(…args)', 'U+2026', 'Send it with "..."'],
    ['quotes that delimit a text of a translation', 'msgid "a"\nmsgstr ""\n', 'msgstr ""', 'msgstr “b”', 'U+201C', 'in an edit of its own', 'a.po'],
    ['quotes and another change', "a('b')\n", "a('b')", 'a(‘b’, 1)', 'U+2018', 'in an edit of its own'],
    ['quotes in numbered lines', "a('b')\nc\n", "1\ta('b')\n2\tc", '1\ta(“d”)\n2\tc', 'U+201C', 'Send it with'],
    ['dots in numbered lines', 'a\nb\nc\n', '1| a\n2| b', '1| a\n2| // ... existing code ...', 'existing code', 'Give all of the text'],
    ['a lost line end behind an empty line more', 'a\nb\n', 'a\n\n', 'c', 'would be joined to the next', 'End both texts'],
    ['tabs behind empty lines more', 'f {\n  a\n  b\n}\n', '\n\n  a\n', '\n\n\ta\n\tc\n', 'by tabs', 'with spaces'],
    ['a tab and spaces', 'f:\n\tx\n   a\n', '   a', '   a\n\t b', 'by tabs and spaces', 'as the lines around it'],
    [
      'a tab and spaces behind a line that begins a block',
      'f {\n\tx\n   a\n}\n',
      '\tx',
      '\tif (x) {\n\t  b',
      'by tabs and spaces',
      'as the lines around it',
    ],
    ['spaces in a recipe of a Makefile', 'a: b\n\tc\n', '\tc', '    d', 'is indented by spaces', 'with tabs', 'Makefile'],
    ['tabs beside a line one space in', 'f:\n\tx\n  y\n - a\n', ' - a', ' - a\n\tb', 'by tabs', 'with spaces'],
    [
      'its first line without indentation, others further out',
      '    a\n b\n',
      '    a\n b',
      'a\n c',
      'first line without the indentation',
      'in an edit of its own',
    ],
    ['dots', 'a\nb\nc\n', 'a\nb', 'a\n...', 'has "..."', 'Give all of the text'],
    ['typographic quotes', "a('b')\n", "a('b')", 'a(‘c’)', '"‘" (U+2018)', 'Send it with'],
    ['a dash in an arrow', 'a\n', 'a', 'f() –> T', '"–" (U+2013)', 'Send it with "-"'],
    ['an ellipsis for the body of a function', 'a\n', 'a', 'def f() -> T: …', 'U+2026', 'Send it with "..."'],
    ['text between two closing quotes', 'a\n', 'a', '# see ’b’', '"’" (U+2019)', 'Send it with "\'"'],
    ['text in typographic quotes', 'a\n', 'a', '# see ‘b’', '"‘" (U+2018)', 'Send it with "\'"'],
    ['a space and a tab', 'f {\n\ta\n}\n', '\ta', ' \t// b\n \ta', 'is indented by spaces', 'with tabs'],
    ['an ellipsis for all arguments', 'f(a)\n', 'f(a)', 'f(a, …)', 'U+2026', 'Send it with "..."'],
    ['no-break spaces', 'a = 1\n', 'a = 1', 'a\u00a0=\u00a02', 'NO-BREAK SPACE', 'Send it with " "'],
    ['tabs', 'a {\n  b\n}\n', '  b', '\tc', 'is indented by tabs', 'with spaces'],
    ['one space before each line', 'a\nb\n', 'a\nb', ' a\n c', 'one space more', 'indented as in the file'],
    ['its first line without indentation', '  a\n  b\n', '  a\n  b', 'a\n  b\n  c', 'first line without the indentation', 'in an edit of its own'],
    ['old text whose first line lacks its indentation', 'f\n  a\n  b\n', 'a\n  b', '  a\n  c', 'the indentation of', 'Repeat the call'],
    [
      'an odd column for lines at even ones',
      'f\n    a()\nb\n',
      '    a()',
      '     if (c)\n       a()',
      'one space too many',
      'indented as in the file',
    ],
    ['a letter that old text lacks', '__name__ = 1\n', '_name__ = 1', '__name__ = 2', 'begins with "_"', 'the whole word'],
    ['a letter that old text lacks at its end', 'a = names\n', 'a = name', 'b = names', 'ends with "s"', 'the whole word'],
    [
      'its first line without indentation, others changed',
      '  a\n  b\n',
      '  a\n  b',
      'a\n  c',
      'first line without the indentation',
      'in an edit of its own',
    ],
    ['an apostrophe of prose in code', 'a\n', 'a', '// it doesn’t\na', '"’" (U+2019)', 'Send it with'],
    ['tabs in a line that moves', 'f:\n\tx\n  g\nh\n', '  g\nh', 'h\n\tg', 'by tabs', 'with spaces'],
    ['a line that is before it', 'x\n\na\n', '\na\n', '\nx\n\na\nb\n', 'is before the place already', 'leave it out'],
  ])('is refused with the reason: %s', (_, text, old, fresh, message, hint, path = 'a.ts') => {
    const result = edited(text, [old, fresh], path);
    expect(result).toContain(message);
    expect(result).toContain('nothing was changed');
    expect(result).toContain(hint);
  });

  it.each([
    ['lines that go', 'a\nb\n', 'a\n', '', 'b\n'],
    ['an empty line that comes', 'a\nb\n', 'a', 'a\n', 'a\n\nb\n'],
    ['lines joined by both', 'a\nb\n', 'a\nb', 'a b', 'a b\n'],
    ['a sum', 'a = b\n  - c\n', '- c', '+ c', 'a = b\n  + c\n'],
    ['a border of a table', '+---+\n| a |\n+---+\n| b |\n', '| b |', '| b |\n+---+', '+---+\n| a |\n+---+\n| b |\n+---+\n'],
    ['marks in a file that has some', '+a\n+b\n', '+b', '+c', '+a\n+c\n'],
    ['quotes of both kinds', "a('b')\n", "a('b')", "a('b’s')", "a('b’s')\n"],
    ['the indentation of all lines', '  a\n  b\n', '  a\n  b', 'a\nb', 'a\nb\n'],
    ['a column that the file has', 'f(a,\n  b)\n     c\n', '  b)', '     b)', 'f(a,\n     b)\n     c\n'],
    ['a longer word', 'names\n', 'name', 'label', 'labels\n'],
    ['white space at a line that the old text shows', '  - a \nb\n', '  - a ', '  - c', '  - c\nb\n'],
    ['a recipe of a Makefile', 'a:\n\tb\n', '\tb', '\tc', 'a:\n\tc\n'],
    ['a quote that alone changes', 'const a = "it\'s";\n', 'const a = "it\'s";', 'const a = "it’s";', 'const a = "it’s";\n'],
    ['an apostrophe that alone changes', "<p>It's a</p>\n", "It's a", 'It’s a', '<p>It’s a</p>\n', 'a.tsx'],
    ['an apostrophe of a text that alone changes', "a: It's b\nc: 'd'\n", "a: It's b\nc: 'd'", "a: It’s b\nc: 'd'", "a: It’s b\nc: 'd'\n", 'a.yaml'],
    [
      'a text in a translation',
      'msgid "It\'s a"\nmsgstr ""\n',
      'msgstr ""',
      'msgstr "C’est « a »"',
      'msgid "It\'s a"\nmsgstr "C’est « a »"\n',
      'fr.po',
    ],
    ['dots in a text', "f('a')\n", "f('a')", "f('(…b)')", "f('(…b)')\n"],
    [
      'a recipe that goes on',
      'ifdef A\n  B = c\nendif\na:\n\tb\n',
      '\tb',
      '\tb \\\n\t  --c \\\n\t  --d',
      'ifdef A\n  B = c\nendif\na:\n\tb \\\n\t  --c \\\n\t  --d\n',
      'Makefile',
    ],
    [
      'a block in a recipe that goes on',
      'A = b \\\n  c\na:\n\tb\n',
      '\tb',
      '\tif b; then \\\n\t  c; \\\n\tfi',
      'A = b \\\n  c\na:\n\tif b; then \\\n\t  c; \\\n\tfi\n',
      'Makefile',
    ],
    [
      'a list of a Makefile that goes on',
      'A = b\na: $(A)\n\tc\n',
      'A = b',
      'A = b \\\n    c \\\n    d',
      'A = b \\\n    c \\\n    d\na: $(A)\n\tc\n',
      'Makefile',
    ],
    [
      'arguments on another line',
      '#if A\n  b\n#endif\nf() {\n\tg(a, b);\n}\n',
      '\tg(a, b);',
      '\tg(a, b,\n\t  c,\n\t  d);',
      '#if A\n  b\n#endif\nf() {\n\tg(a, b,\n\t  c,\n\t  d);\n}\n',
      'a.c',
    ],
    [
      'a condition on another line',
      '#if A\n  b\n#endif\nf() {\n\tif (a) b();\n}\n',
      '\tif (a) b();',
      '\tif (a\n\t    && c) b();',
      '#if A\n  b\n#endif\nf() {\n\tif (a\n\t    && c) b();\n}\n',
      'a.c',
    ],
    [
      'an argument behind one that stays',
      '#if A\n  b\n#endif\nf() {\n\tg(a,\n\t\tb);\n}\n',
      '\tg(a,\n\t\tb);',
      '\tg(a,\n\t  c);',
      '#if A\n  b\n#endif\nf() {\n\tg(a,\n\t  c);\n}\n',
      'a.c',
    ],
  ])('is made where it can be meant: %s', (_, text, old, fresh, expected, path = 'a.ts') => {
    expect(edited(text, [old, fresh], path)).toBe(expected);
  });
});

it.each([
  ['a.yml', 'by tabs, and the file by spaces'],
  ['a.py', 'by tabs, and the file by spaces'],
  ['a.go', 'b:\n\tc\n'],
])('a first line with a tab in %s', (path, expected) => {
  expect(edited('a\n', ['a\n', 'b:\n\tc\n'], path)).toContain(expected);
});

it.each([
  ['characters of a word', 'b\n', `${'a'.repeat(300_000)}!`, `${'a'.repeat(300_000)}!`],
  ['empty lines behind the place', '\n'.repeat(200_000), 'a', 'b\n'],
  ['blank lines behind the place', '\n '.repeat(200_000), 'a', 'b\n'],
])('goes through many %s in linear time', (_, behind, old, fresh) => {
  const started = computedMs();
  edited(`${old}\n\n\n\n${behind}`, [old, `${fresh} `]);
  edited(`${old}\n\n\n${behind}`, [old, fresh]);
  expect(computedMs() - started).toBeLessThan(10_000);
});
