import { expect, it } from 'vitest';
import { boundedLines } from './bounded-lines.ts';

async function linesOf(chunks: readonly string[]): Promise<string[]> {
  const source = async function* () {
    yield* chunks;
  };
  return await Array.fromAsync(boundedLines(source(), 8));
}

it.each([
  [
    ['a', 'b\nc\r\n', '\nd'],
    ['ab', 'c', '', 'd'],
  ],
  [
    ['12345678\n123456789\nnext\n', '1234', '56789', 'x'.repeat(20), '\nlast'],
    ['12345678', 'next', 'last'],
  ],
  [['endless'.repeat(9)], []],
])('reads %j as lines of at most 8 characters', async (chunks, lines) => {
  expect(await linesOf(chunks)).toEqual(lines);
});
