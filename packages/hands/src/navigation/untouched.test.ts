import { expect, it } from 'vitest';
import { editFile } from './edited-file.ts';
import { linesOf, type SourceFile } from './source.ts';
import { readUntouched } from './untouched.ts';

function source(path: string, text: string): SourceFile {
  return { path, text, lines: linesOf(text), bytes: Buffer.from(text), encoding: { name: 'utf-8', bom: false }, version: '', serverPath: path };
}

const TYPES = 'interface Shape { area(): number }\nclass Square { area() { return 1; } }\nclass Other { area = 2; }\nfunction area() {}\n';
const PROTOCOL = 'class Shape(Protocol):\n    def area(self): ...\n\nclass Square:\n    def area(self): ...\n';
const CLASSES = 'class Circle { area() {} }\nclass Square { area() {} }\n';

// The place that a server renames, by line and column from 0.
it.each<[what: string, path: string, text: string, line: number, column: number, fitting: string[]]>([
  ['an interface, whose classes need not say so', 'a.ts', TYPES, 0, 18, ['a.ts:2 Square.area']],
  ['a class that fits an interface', 'a.ts', TYPES, 1, 15, ['a.ts:1 Shape.area']],
  ['a function', 'a.ts', TYPES, 3, 9, []],
  ['one of two classes', 'a.ts', CLASSES, 0, 15, []],
  ['a protocol', 'a.py', PROTOCOL, 1, 8, ['a.py:5 Square.area']],
  ['a class that fits a protocol', 'a.py', PROTOCOL, 4, 8, ['a.py:2 Shape.area']],
])('tells what may have to be renamed with a member of %s', async (_, path, text, line, column, fitting) => {
  const file = source(path, text);
  const range = { start: { line, character: column }, end: { line, character: column + 4 } };
  const edited = editFile(file, [{ range, newText: 'size' }], 'area', 'size');
  if (typeof edited === 'string') expect.fail(edited);
  expect((await readUntouched([file], [edited], { name: 'area' })).fitting).toEqual(fitting);
});
