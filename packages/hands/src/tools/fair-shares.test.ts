import { expect, it } from 'vitest';
import { fairShares } from './fair-shares.ts';

it.each<[string, number[], number, number[]]>([
  ['all fits', [10, 20], 100, [10, 20]],
  ['equal needs', [100, 100], 100, [50, 50]],
  ['a small one leaves its rest to the others', [10, 100, 100], 110, [10, 50, 50]],
  ['the order stays', [100, 10, 100], 110, [50, 10, 50]],
  ['nothing to share', [5, 5], 0, [0, 0]],
  ['no needs', [], 10, []],
])('divides fairly: %s', (_, needs, total, shares) => {
  expect(fairShares(needs, total)).toEqual(shares);
});
