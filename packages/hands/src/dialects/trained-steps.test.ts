import { expect, it } from 'vitest';
import { numberLines } from './trained-steps.ts';

it.each([
  ['', ''],
  ['a', '3|a\n'],
  ['a\n\nb\n', '3|a\n4|\n5|b\n'],
])('numbers the lines of %j', (body, numbered) => {
  expect(numberLines(body, 3, (number, text) => `${number}|${text}`)).toBe(numbered);
});
