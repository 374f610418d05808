import { expect, it } from 'vitest';
import { narrowJson } from './narrow-json.ts';

const LONG = 'const text = "of a file";\n'.repeat(200);

it.each([
  ['an arrow after a long text', { text: LONG, summary: 'read_file → 5 KB' }],
  ['a character of two units', { text: `${LONG}😀`, summary: '…' }],
  ['half of one', { text: `${LONG}\ud83d` }],
  ['the last character', `${LONG}é`],
])('says the same in ASCII: %s', (_, value) => {
  const narrow = narrowJson(JSON.stringify(value));
  expect(narrow).toMatch(/^[\0-\x7f]*$/u);
  expect(JSON.parse(narrow)).toEqual(value);
});

it.each([
  ['ASCII', LONG],
  ['a short text with several', '→ é ü ñ'],
  ['a text in another alphabet', 'я помню чудное мгновенье '.repeat(300)],
])('leaves as it is: %s', (_, value) => {
  const json = JSON.stringify(value);
  expect(narrowJson(json)).toBe(json);
});
