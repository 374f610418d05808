import { expect, it } from 'vitest';
import { KeptBuffers } from './kept-buffers.ts';

it('loads a text once while it is read, and keeps the latest within limits', () => {
  const kept = new KeptBuffers();
  const loads: string[] = [];
  const read = (name: string, size: number): number =>
    kept.get(name, () => {
      loads.push(name);
      return new Uint8Array(size);
    }).length;
  expect([read('a', 10), read('a', 10), read('b', 10), read('a', 10)]).toEqual([10, 10, 10, 10]);
  expect(loads).toEqual(['a', 'b']);
  // What is not there yet can be there later.
  expect(kept.get('later', () => undefined)).toHaveLength(0);
  expect(read('later', 3)).toBe(3);
  loads.length = 2;
  // Longer than what is kept of all: only it stays.
  expect([read('huge', 20_000_000), read('huge', 20_000_000), read('a', 10)]).toEqual([20_000_000, 20_000_000, 10]);
  expect(loads).toEqual(['a', 'b', 'huge', 'a']);
  for (let count = 0; count < 32; count += 1) read(`n${count}`, 1);
  read('a', 10);
  expect(loads.filter((name) => name === 'a')).toHaveLength(3);
  kept.drop('a');
  kept.drop('a');
  read('a', 10);
  expect(loads.filter((name) => name === 'a')).toHaveLength(4);
});
