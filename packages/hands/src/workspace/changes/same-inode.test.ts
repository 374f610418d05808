import { expect, it } from 'vitest';
import { sameInode } from './step.ts';

it.each([
  ['the same entry', '1:20:300', '1:20:300', true],
  // A new file with the number of a deleted one.
  ['another birth', '1:20:300', '1:20:301', false],
  ['another number', '1:20:300', '1:21:300', false],
  // The number of an overlay or a subvolume is another one after the next mount.
  ['another device, with a birth', '1:20:300', '2:20:300', true],
  ['another device, without a birth', '1:20:0', '2:20:300', false],
  ['a device that is not recorded', ':20:300', '2:20:300', true],
  ['a birth that is not recorded', '1:20:0', '1:20:300', true],
])('tells %s', (_, one, other, same) => {
  expect(sameInode(one, other)).toBe(same);
  expect(sameInode(other, one)).toBe(same);
});
