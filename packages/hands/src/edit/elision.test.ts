import { expect, it } from 'vitest';
import { elidedLine } from './elision.ts';

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
  expect(elidedLine('function a() {\n  b();\n}', `function a() {\n${line}\n}`)).toBe(line.trim());
  // A file that has such a line may keep it.
  expect(elidedLine(`a\n${line}\nb`, `a\n${line}\nc`)).toBeUndefined();
});

it.each([
  'f(...existing);',
  '  ...existing,',
  '  ...original, // keep the order',
  '// Loading existing users...',
  ' * @param {...string} rest Remaining arguments',
  'console.log("... existing code ...");',
  'def f(x): ...',
  '...',
  '// etc. The rest of it is done elsewhere',
  'const rest = [...remaining];',
])('%s is text', (line) => {
  expect(elidedLine('x();\ny();\nz();', `x();\n${line}\nz();`)).toBeUndefined();
});

it('bare dots in a comment count where lines are gone between two that stayed', () => {
  expect(elidedLine('a {\n  b\n  c\n}', 'a {\n  // ...\n}')).toBe('// ...');
  expect(elidedLine('a {\n}', 'a {\n  // ...\n}')).toBeUndefined();
  expect(elidedLine('a', '// ...\nb')).toBeUndefined();
});
