import { expect, it } from 'vitest';
import { warmCount } from '../../scripts/warm-count.ts';

/** A call that ran two functions of so many files. */
const call = (files: number): ReadonlyMap<string, readonly string[]> =>
  new Map(Array.from({ length: files }, (_, index) => [`f${index}.ts`, ['a', 'b']]));

it.each([
  ['the first call', [2], true, 'x: 2 files (at most 3), 4 functions'],
  ['a later call, as others also renewed something', [5, 4, 3], true, 'x: 3 files (at most 3), 6 functions; call 3 was the first within the limit'],
  ['no call, the last one least', [6, 5, 4], false, 'x: 4 files (at most 3), 8 functions; none of 3 calls was within the limit'],
  ['no call, the first one least', [4, 5, 6], false, 'x: 4 files (at most 3), 8 functions; none of 3 calls was within the limit'],
])('within the limit is %s', (_, calls, isWithin, line) => {
  expect(warmCount('x', calls.map(call), 3)).toMatchObject({ isWithin, line });
});
