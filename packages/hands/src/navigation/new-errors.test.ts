import { expect, it } from 'vitest';
import type { Finding } from '../lsp/finding.ts';
import { newErrors } from './new-errors.ts';

const finding = (line: number, code: string, column = 1): Finding => ({ line, column, severity: 'error', code, message: `at ${line}` });

it.each<[string, Finding[], Finding[], string[]]>([
  ['nothing new', [finding(1, '7')], [finding(1, '7', 9)], []],
  ['an error of another kind', [finding(1, '7')], [finding(1, '7'), finding(2, '8')], ['a.ts:2']],
  ['one more of a kind', [finding(4, '7')], [finding(4, '7'), finding(5, '7')], ['a.ts:5']],
  ['fewer', [finding(4, '7')], [], []],
])('tells %s', (_, before, after, places) => {
  expect(newErrors(new Map([['a.ts', before]]), new Map([['a.ts', after]]))).toEqual(places);
});
