import { expect, it } from 'vitest';
import { handledFiles, planText } from './landlock-plan.ts';

it.each([
  [3, (1 << 15) - 1],
  [4, (1 << 15) - 1],
  [5, (1 << 16) - 1],
  [7, (1 << 16) - 1],
])('asks about all rights of ABI %d', (abi, expected) => {
  expect(handledFiles(abi)).toBe(expected);
});

it('writes fields that end with NUL, and gives a file no rights of folders', () => {
  const rules = [
    { path: '/a b', rights: ['list', 'read'] },
    { path: '/w', rights: ['list', 'read', 'write'] },
  ] as const;
  const fields = planText({ abi: 7, rules, network: false, processes: 445, parent: 7, environment: { HOME: '/h=1' } }).split('\0');
  expect(fields).toEqual([
    `handled ${(1 << 16) - 1} 3 3`,
    'processes 445',
    'parent 7',
    'variable HOME=/h=1',
    'rule 13 5 /a b',
    `rule ${13 + 2 + 48 + 6016 + 8192 + 16384} ${5 + 2 + 16384} /w`,
    '',
  ]);
});

it.each([
  [3, false, '0 0'],
  [4, false, '3 0'],
  [6, false, '3 3'],
  [6, true, '0 3'],
])('with ABI %d and network %s keeps from connections and processes of others: %s', (abi, network, expected) => {
  expect(planText({ abi, rules: [], network, processes: undefined, environment: {} })).toMatch(new RegExp(`^handled \\d+ ${expected}\\0$`, 'u'));
});
