import { expect, it } from 'vitest';
import { groupSymbols, matchSymbols, namesOf, nearestSymbols } from './match-symbols.ts';
import type { CodeSymbol } from './read-symbols.ts';

const symbol = (path: string, line: number, endLine = line): CodeSymbol => ({
  path,
  name: path.slice(path.lastIndexOf('.') + 1),
  kind: 'method',
  line,
  endLine,
  nameLine: line,
  nameColumn: 0,
  depth: path.split('.').length - 1,
});
const SYMBOLS = [
  symbol('A', 1, 9),
  symbol('A.run', 2, 3),
  symbol('A.run', 4, 6),
  symbol('B', 10, 30),
  symbol('B.run', 11),
  symbol('B.A', 12, 14),
  symbol('B.A.run', 13),
  symbol('C.#own', 31),
  symbol('C.#run', 32),
  symbol('C.both', 33),
  symbol('C.#both', 34),
];

it.each([
  ['A.run', [2, 4]],
  ['A::run', [2, 4]],
  ['A#run()', [2, 4]],
  ['/A/run', [2, 4]],
  ['run', [2, 4, 11, 13]],
  ['B.A.run', [13]],
  ['A', [1]],
  ['', []],
  ['un', []],
  ['C.#own', [31]],
  ['C#own', [31]],
  ['#own', [31]],
  ['own', [31]],
  ['C.#run', [32]],
  ['#run()', [32]],
  ['#A', [1]],
  ['C.both', [33]],
  ['C#both', [33]],
  ['C.#both', [34]],
])('%s means the symbols on lines %j', (wanted, lines) => {
  expect(matchSymbols(SYMBOLS, wanted).map(({ line }) => line)).toEqual(lines);
});

it('joins overloads, and nothing else of the same name', () => {
  const found = matchSymbols(SYMBOLS, 'run');
  expect(groupSymbols(found, SYMBOLS).map(({ line, endLine }) => [line, endLine])).toEqual([
    [2, 6],
    [11, 11],
    [13, 13],
  ]);
  const apart = [symbol('run', 1), symbol('other', 2), symbol('run', 3)];
  expect(groupSymbols(matchSymbols(apart, 'run'), apart)).toHaveLength(2);
});

it('reads names in any form, and knows the nearest', () => {
  expect(namesOf('std::vector<int>::push(x)')).toEqual(['std', 'vector', 'push']);
  expect(nearestSymbols(SYMBOLS, 'A.rum')).toEqual(['A.run', 'B.run', 'B.A.run']);
});
