import { expect, it } from 'vitest';
import { cutLine, lineAround } from './verified-match.ts';

it.each<[string, string, string, boolean, string]>([
  ['a short line whole', 'let ', 'foo = 1\r', false, 'let foo = 1'],
  ['the part around a match', 'é'.repeat(300), `foo${'x'.repeat(900)}`, false, `…${'é'.repeat(120)}foo${'x'.repeat(376)}…`],
  ['what begins in the middle of a line', 'abc', 'foo', true, '…abcfoo'],
])('shows %s', (_name, before, rest, isCut, expected) => {
  expect(lineAround(Buffer.from(before), Buffer.from(rest), isCut)).toBe(expected);
});

it('leaves no half of a character, in bytes or in UTF-16', () => {
  const shown = lineAround(Buffer.from('😀'.repeat(100)).subarray(2), Buffer.from('😀'.repeat(600)), true);
  expect(shown.isWellFormed()).toBe(true);
  expect(shown).not.toContain('\ufffd');
  expect(cutLine(`x${'😀'.repeat(600)}`).isWellFormed()).toBe(true);
});
