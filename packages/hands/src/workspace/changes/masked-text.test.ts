import { expect, it } from 'vitest';
import { maskedLine } from './masked-text.ts';

const SECRET = 'correct-horse-battery';
const MASK = '*'.repeat(SECRET.length);
const masks = (text: string): string => text.replaceAll(SECRET, MASK);
const FILE = `a\nkey: ${SECRET}\nb\n`;

it.each<[string, string, string, number | undefined]>([
  ['the mask in place of the secret', FILE, `A\nkey: ${MASK}\nb\n`, 2],
  ['in another line, and changed around it', FILE, `a\nb\nc\ntoken = '${MASK}';\n`, 4],
  ['beside the secret', FILE, `${FILE}key: ${MASK}\n`, 4],
  ['the secret again', FILE, `A\nkey: ${SECRET}\nb\n`, undefined],
  ['without the line', FILE, 'a\nb\n', undefined],
  ['asterisks of another length', FILE, `a\n${'*'.repeat(60)}\nkey: ${SECRET}\n`, undefined],
  ['a file without a secret', 'a\n', `a\n${MASK}\n`, undefined],
  ['a line of asterisks that the file had', `${MASK}\n${FILE}`, `${MASK}\n${FILE}b\n`, undefined],
  ['the mask in a file that had such a line', `${MASK}\n${FILE}`, `${MASK}\na\nkey: ${MASK}\n`, 3],
  ['a mask beside an asterisk', `* ${SECRET}*\n`, `* ${MASK}*\nb\n`, 1],
])('finds a mask that is written: %s', (_, before, after, line) => {
  expect(maskedLine(before, masks(before), after)).toBe(line);
});
