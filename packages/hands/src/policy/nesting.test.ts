import { parseTree } from 'jsonc-parser';
import { expect, it } from 'vitest';
import { isNestedDeeper } from './nesting.ts';

it.each([
  ['', 0, false],
  ['{}', 1, false],
  ['{}', 0, true],
  ['[[[]]]', 3, false],
  ['[[[]]]', 2, true],
  ['{"a": {"b": []}, "c": {}, "d": []}', 3, false],
  ['{"a": "[[[[", /* [[[[ */ "b": 1 } // [[[[', 1, false],
  ['{"a": "\\"[[[["}', 1, false],
])('of %j, %i levels: %s', (text, levels, deeper) => {
  expect(isNestedDeeper(text, levels)).toBe(deeper);
});

it.each(['[', '{"a":', '[},', '{"a":],[', '[{]', '[[]{,', '{[,{"a":', '[1 2,[', '"\n[,', '/*[', '[}{]'])(
  'lets nothing through that uses up the stack of the parser: %j again and again',
  (piece) => {
    const text = piece.repeat(50_000);
    const parsed = (): boolean => parseTree(text, [], { allowTrailingComma: true }) !== null;
    expect(isNestedDeeper(text, 64) || parsed()).toBe(true);
  },
);
