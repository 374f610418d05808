import { expect, it } from 'vitest';
import { Cautions } from './change-collector.ts';

it('shows a notice of each kind, however many there are of another, and how many are not shown', () => {
  const cautions = new Cautions();
  for (let index = 0; index < 100; index += 1) cautions.add(`l${index}`, `is a link to ${index}`);
  for (let index = 0; index < 6; index += 1) cautions.add(`d${index}/.envrc`, 'is for other programs: a shell runs it');
  cautions.add('z/.vscode', 'is for other programs: an editor runs it');
  expect(cautions.lines).toEqual([
    ...[0, 1, 2, 3, 4].map((index) => `d${index}/.envrc is for other programs: a shell runs it`),
    '1 more entry: for other programs: a shell runs it',
    'z/.vscode is for other programs: an editor runs it',
    ...[0, 1, 2, 3, 4].map((index) => `l${index} is a link to ${index}`),
    '95 more entries: links that lead out of the workspace',
  ]);
});
