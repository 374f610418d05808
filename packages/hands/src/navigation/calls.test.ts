import { expect, it } from 'vitest';
import { isCall } from './calls.ts';

it.each<[text: string, is: boolean]>([
  ['run()', true],
  ['  await run<string>(1)', true],
  ['x.run (1)', true],
  ['const f = run;', false],
  ["import { run } from './a';", false],
  ['function run() {}', false],
  ['async function* run() {}', false],
  ['  def run(self):', false],
  ['  pub fn run() {}', false],
  ['myfunction.run()', true],
])('%j is a call: %s', (text, is) => {
  expect(isCall('run', { line: 1, column: text.indexOf('run'), as: 'code' }, text, [])).toBe(is);
});

it('takes no declaration for a call', () => {
  const symbol = { name: 'run', path: 'A.run', kind: 'method', line: 1, endLine: 1, nameLine: 1, nameColumn: 2, depth: 1 } as const;
  expect(isCall('run', { line: 1, column: 2, as: 'code' }, '  run() {}', [symbol])).toBe(false);
});
