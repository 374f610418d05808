import { expect, it } from 'vitest';
import { nameIn, namesOn } from './line-name.ts';

it.each([
  ['    c.header(name, 1);', 'c.header(name', 'header', 6],
  ['    c.header(name, 1);', 'header', 'header', 6],
  ['export function run(a) {', 'function run', 'run', 16],
  ['export function run(a) {', 'export function run(a) {', 'run', 16],
  ['  return await this.#find(x)', 'this.#find', '#find', 20],
  ['let x = Type::make(1);', 'Type::make', 'make', 14],
  ['function go() {', 'function go', 'go', 9],
  ['p->next = q;', 'p->next', 'next', 3],
])('in %j, %j means %s', (line, part, name, column) => {
  expect(nameIn(line, part)).toEqual({ name, column });
});

it('knows what is no name', () => {
  expect(nameIn('x = 5;', '= 5')).toBeUndefined();
  expect(nameIn('a', 'b')).toBeUndefined();
  expect(namesOn('const x = await run(y);').map(({ name }) => name)).toEqual(['x', 'run', 'y']);
});
