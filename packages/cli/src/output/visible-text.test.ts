import { expect, it } from 'vitest';
import { visibleJson, visibleText } from './visible-text.ts';

it.each([
  ['plain text, ümläuts and 👩‍👩‍👧 stay', 'plain text, ümläuts and 👩‍👩‍👧 stay'],
  ['tab\tand\nline\r\nends', 'tab\tand\nline\r\nends'],
  ['\u001b]0;owned\u0007', '␛]0;owned␇'],
  ['\u001b[2J\u001b[31m', '␛[2J␛[31m'],
  ['over\rwritten', 'over␍written'],
  ['back\bspace\u007f', 'back␈space␡'],
  ['\u009b31m', '<U+009B>31m'],
  ['a\0b', 'a␀b'],
  ['if (admin\u202e\u2066// check\u2069)', 'if (admin<U+202E><U+2066>// check<U+2069>)'],
  ['ad\u200bmin \ufeff\u2060x\u00ad', 'ad<U+200B>min <U+FEFF><U+2060>x<U+00AD>'],
  ['ad\u200dmin\u200c', 'ad<U+200D>min<U+200C>'],
  ['a\u{e0041}', 'a<U+E0041>'],
  ['نمی\u200cخواهم', 'نمی\u200cخواهم'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it('keeps the value of a JSON text', () => {
  const value = { text: '\u001b[2J\u009b31m\u202e\u007f ümläut \u200b\u{e0041}x\u200d' };
  const shown = visibleJson(JSON.stringify(value));
  expect(JSON.parse(shown)).toEqual(value);
  expect(visibleText(shown)).toBe(shown);
});
