import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeLines, codeOnly } from './code-lines.ts';

describe('what is code', () => {
  it.each([
    ['a.py', 'x = "# no"  # Old\n"""Old\nOld()"""\ndef f():\n    \'\'\'Old().\'\'\'\n    New()\n', ['"# no"', 'def f', 'New()']],
    ['a.ts', '/* Old\n * Old() */\nconst a = "// no"; // Old\nconst b = `Old\nOld()`;\nNew();\n', ['"// no"', 'New()']],
    ['a.js', 'const q = /["\'`]/u;\nNew(); // Old\nconst half = a / b; // Old / `\nNew2();\n', ['New()', 'New2()']],
    ['a.rs', "fn f<'a>(x: &'a str) {} // Old\nlet q = '\"'; /* Old */ New();\n", ["f<'a>", 'New()']],
    ['a.rb', '=begin\nOld\n=end\nputs "#{New.x}" # Old\n', ['New.x']],
    ['a.go', 'a := `Old\nOld`\nNew() // Old\n', ['New()']],
    ['a.lua', '--[[ Old\nOld ]]\nNew() -- Old\n', ['New()']],
    ['a.c', '#include "new.h"\n/* Old', ['"new.h"']],
    ['a.sh', 'echo $#; New # Old\n', ['$#', 'New']],
    ['a.java', 'String s = """\n  Old\n  """; New();\n', ['New()']],
    ['a.ex', '@doc """\nOld\n"""\nNew # Old\n', ['New']],
    ['a.php', '#[New]\n# Old\n', ['#[New]']],
  ])('in %s', (path, text, kept) => {
    const code = codeOnly(text, path);
    expect(code).not.toContain('Old');
    for (const part of kept) expect(code).toContain(part);
  });

  it('is all of an unknown language', () => {
    expect(codeLines('# x', 'a.unknown')).toBeUndefined();
    expect(codeOnly('# x', 'a.unknown')).toBe('# x');
  });

  it('keeps lines and columns, and no part is both code and comment', () => {
    const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', "'", '`', '/*', '*/', '//', '#', '"""', '\n', '\\', 'Old', '/'));
    const isApart = (path: string, pieces: readonly string[]): boolean => {
      const text = pieces.join('');
      const { code = [], comments = [] } = codeLines(text, path) ?? {};
      const [kept, told] = [code.join('\n'), comments.join('\n')];
      const fits = (part: string): boolean => part.length === text.length && part.split('').every((unit, at) => unit === ' ' || unit === text[at]);
      return fits(kept) && fits(told) && kept.split('').every((unit, at) => unit.trim() === '' || told[at] === ' ' || told[at]?.trim() === '');
    };
    const path = fc.constantFrom('a.py', 'a.ts', 'a.rs', 'a.rb', 'a.go', 'a.c');
    expect(() => fc.assert(fc.property(path, fc.array(piece), isApart))).not.toThrow();
  });
});
