import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { fileStyle } from './file-style.ts';
import { type Slip, slipOf } from './slips.ts';

function slip(file: string, fresh: string, path = 'a.ts', old = 'a'): Slip | undefined {
  const lines = fresh.split('\n');
  return slipOf({ path, style: fileStyle(file), given: old.split('\n'), old: old.split('\n'), fresh: lines, written: lines, isWhole: true });
}

const many = 150_000;

it.each([
  ['empty lines', `b…\n${'\n'.repeat(many)}c`],
  ['blank lines', `b…\n${'  \n'.repeat(many)}c`],
  ['ellipses in a code span that does not end', `// \`${'…'.repeat(many)}`],
  ['ellipses', `b ${'…'.repeat(many)}`],
  ['comments', `b…\n${'// `a\n'.repeat(many)}c`],
  ['backticks', `// …${'`'.repeat(many)}`],
  ['colons', `class ${': …'.repeat(many)} b`],
  ['brackets', `b… ${'('.repeat(many)}`],
  ['commas and spaces', `f(${', '.repeat(many)}…`],
  ['spaces behind a bracket', `f(${' '.repeat(many)}…${' '.repeat(many)}b`],
  ['opening quotes', `b ${'‘'.repeat(many)}`],
  ['opening quotes before text', `b ${'‘b '.repeat(many)}`],
  ['quotes of both kinds', `b “${'b'.repeat(many)} ${'’'.repeat(many)}`],
  ['dashes', `b ${'–'.repeat(many)}`],
  ['tabs and spaces', `${'\t'.repeat(many)}${' '.repeat(many)}*`],
  ['spaces in a comment', `// b${' '.repeat(many)}c`],
  ['spaces in a comment that says so', `// ... b${' '.repeat(many)}c`],
  ['signs', `+${'- '.repeat(many)}b`],
])('goes through many %s in linear time', (_, fresh) => {
  const started = computedMs();
  for (const path of ['a.ts', 'a.py', 'a.md']) slip('a\n  b\n\tc\n', fresh, path);
  expect(computedMs() - started).toBeLessThan(10_000);
});
