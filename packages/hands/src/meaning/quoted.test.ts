import { expect, it } from 'vitest';
import { shownName, shownText } from './quoted.ts';

it.each([
  ['main', 'main'],
  ['a/b-c', 'a/b-c'],
  ['main\u034f', '"main\\u{34f}"'],
  ['main\u200b', '"main\\u{200b}"'],
  ['a b', '"a b"'],
  ['-x', '"-x"'],
])('%j as a name is %s', (name, expected) => {
  expect(shownName(name)).toBe(expected);
});

it.each([
  ['fix "x"', '"fix \\"x\\""'],
  ['\u009b31m red\u007f', '"\\u{9b}31m red\\u{7f}"'],
  ['a\u202eb\nc', '"a\\u{202e}b\\nc"'],
  ['\u115f\u{e0041}', '"\\u{115f}\\u{e0041}"'],
])('%j as a text is %s', (text, expected) => {
  expect(shownText(text)).toBe(expected);
});
