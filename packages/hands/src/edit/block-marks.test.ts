import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { marksBlocks, mayOpenBlock } from './block-marks.ts';

it.each([
  ['f(a) do |b, c|', true],
  ['  if a', true],
  ['x = y ->', true],
  ['local f = function(a, b)', true],
  [`${'a '.repeat(2_000)}then`, true],
  [`if ${'a '.repeat(2_000)}`, true],
  ['a b', false],
  [`${'a '.repeat(2_000)}b`, false],
])('%.40s may open a block: %s', (line, expected) => {
  expect(mayOpenBlock(line)).toBe(expected);
});

it.each([
  ['many functions', 'function '.repeat(60_000)],
  ['many blocks with parameters', 'do |'.repeat(120_000)],
  ['many words', 'a '.repeat(200_000)],
  ['many spaces', `a${' '.repeat(400_000)}b`],
])('goes through one long line of %s in linear time', (_, line) => {
  const started = computedMs();
  marksBlocks(`${line}\n  b\n`);
  expect(computedMs() - started).toBeLessThan(5_000);
});
