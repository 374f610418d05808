import { expect, it } from 'vitest';
import { columns } from './columns.ts';

it('aligns the columns and leaves no spaces at the ends', () => {
  expect(
    columns([
      ['a', 'long cell', 'x'],
      ['longer', 'b', ''],
    ]),
  ).toBe('a       long cell  x\nlonger  b\n');
});

it('keeps every row in one line', () => {
  expect(
    columns([
      ['ok', '/a\nok  trusted  /b'],
      ['ok', '/c'],
    ]),
  ).toBe('ok  /a⏎ok  trusted  /b\nok  /c\n');
});

it('aligns no row to a very long cell of another one', () => {
  const path = 'folder/'.repeat(400);
  expect(
    columns([
      ['changed', path, '+1'],
      ['created', 'a', '+2'],
      ['deleted', 'bcd', '−3'],
    ]),
  ).toBe(`changed  ${path}  +1\ncreated  a    +2\ndeleted  bcd  −3\n`);
});

it('is empty without rows', () => {
  expect(columns([])).toBe('');
});
