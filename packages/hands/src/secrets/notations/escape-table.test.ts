import { expect, it } from 'vitest';
import { readEscape } from './escape-table.ts';

it('reads an escape once, and keeps no more than some of what hostile texts make it read', () => {
  const first = readEscape('%4');
  expect(readEscape('%4')).toBe(first);
  for (let at = 0; at < 30_000; at += 1) readEscape(`%4${String.fromCharCode(at)}`);
  expect(readEscape('%4')).not.toBe(first);
  expect(readEscape('%4')).toEqual(first);
});
