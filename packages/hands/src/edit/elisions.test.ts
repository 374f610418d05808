import { describe, expect, it } from 'vitest';
import { elidedLine } from './elisions.ts';
import { fileStyle } from './file-style.ts';

it.each([
  '// ... existing code ...',
  '# ... existing code ...',
  '  // ...existing code...',
  '/* ... rest of the file ... */',
  '{/* ... existing JSX ... */}',
  '<!-- ... remaining content unchanged ... -->',
  '// … existing code …',
  '# ... (rest of the function)',
  '// rest of the code stays the same',
  '// ... other methods ...',
  '-- ... unchanged ...',
  '... existing code ...',
  '[... rest of the file unchanged ...]',
])('%s stands for lines that are left out', (line) => {
  expect(elidedLine({ old: 'function a() {\n  b();\n}', fresh: `function a() {\n${line}\n}` })).toBe(line.trim());
  // A file that has such a line may keep it.
  expect(elidedLine({ old: `a\n${line}\nb`, fresh: `a\n${line}\nc` })).toBeUndefined();
});

it.each([
  'f(...existing);',
  '  ...existing,',
  '  ...original, // keep the order',
  '// Loading existing users...',
  ' * @param {...string} rest Remaining arguments',
  'console.log("... existing code ...");',
  'def f(x): ...',
  '// etc. The rest of it is done elsewhere',
  'const rest = [...remaining];',
])('%s is text', (line) => {
  expect(elidedLine({ old: 'x();\ny();\nz();', fresh: `x();\n${line}\nz();` })).toBeUndefined();
});

const elided = (old: string, fresh: string, path: string, file = old): string | undefined => elidedLine({ old, fresh, path, style: fileStyle(file) });

describe('dots alone', () => {
  it.each([
    ['JavaScript', 'a {\n  b\n  c\n}', 'a {\n  ...\n}', 'a.js', '...'],
    ['Rust', 'a {\n  b\n}', 'a {\n  ...\n  d\n}', 'a.rs', '...'],
    ['Go, in a comment', 'a {\n}', 'a {\n  // ...\n}', 'a.go', '// ...'],
    ['a comment of Python', 'a', '# ...\nb', 'a.py', '# ...'],
    ['brackets', 'a\nb', 'a\n[...]\nb', 'a.c', '[...]'],
    ['one character', 'a\nb', 'a\n…\nb', 'a.ts', '…'],
    ['Markdown', 'a\nb', 'a\n...\nc', 'a.md', '...'],
    ['arguments of JavaScript', 'f(\n  a,\n  b,\n)', 'f(\n  a,\n  ...\n)', 'a.ts', '...'],
    ['a Python block with more in it', 'def f():\n    a\n    b', 'def f():\n    ...\n    b', 'a.py', '...'],
    ['a Python body that was longer', 'def f():\n    a\n    b', 'def f():\n    ...', 'a.py', '...'],
    ['an existing Python body of one statement', 'def f():\n    return 1', 'def f():\n    ...', 'a.py', '...'],
    ['a Python block that is no function', 'if a:\n    b\nc', 'if a:\n    ...\nc', 'a.py', '...'],
    ['one character in a Python block', 'def f():\n    pass', 'def f():\n    …', 'a.py', '…'],
    ['elements of a Python list', 'x = [\n    a,\n    b,\n]', 'x = [\n    a,\n    ...\n]', 'a.py', '...'],
    ['a Python block beside others', 'if a:\n    b\nc', 'if a:\n    b\n...\nc', 'a.py', '...'],
  ])('stand for lines that are left out: %s', (_, old, fresh, path, expected) => {
    expect(elided(old, fresh, path)).toBe(expected);
  });

  it.each([
    [
      'the only statement of a Python block',
      'class A:\n    def f(self): ...',
      'class A:\n    def f(self) -> int:\n        ...\n\n    def g(self): ...',
      'a.py',
    ],
    ['instead of pass', 'def f():\n    pass', 'def f():\n    ...', 'a.pyi'],
    ['the last argument of C', 'int f(\n  char *s\n);', 'int f(\n  char *s,\n  ...\n);', 'a.h'],
    ['an index of Python', 'x[a]', 'x[\n    a,\n    ...\n]', 'a.py'],
    ['lines that the file has already', 'a\nb', 'a\n...\nb', 'a.md', 'x\n  ...\na\nb'],
    ['spread', 'f(a)', 'f(\n  ...a,\n  ...b\n)', 'a.js'],
    ['a range of Rust', 'A { a }', 'A {\n  a,\n  ..\n}', 'a.rs'],
  ])('are code: %s', (_, old, fresh, path, file = old) => {
    expect(elided(old, fresh, path, file)).toBeUndefined();
  });
});
