import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { onceATurn } from './timing.ts';

afterEach(() => void vi.restoreAllMocks());

it('reads once in a turn of the event loop, and again in the next', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
  let reads = 0;
  const read = onceATurn(() => (reads += 1));
  expect([read(), read()]).toEqual([1, 1]);
  await Promise.resolve();
  expect(read()).toBe(1);
  await turn();
  expect([read(), read()]).toEqual([2, 2]);
});

it('reads again after a millisecond, also for a caller that never yields', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  let reads = 0;
  const read = onceATurn(() => (reads += 1));
  read();
  now.mockReturnValue(0.9);
  expect(read()).toBe(1);
  now.mockReturnValue(1);
  expect(read()).toBe(2);
});

it('keeps nothing of a failed read', () => {
  let fails = true;
  const read = onceATurn(() => {
    if (fails) throw new Error('not now');
    return 1;
  });
  expect(read).toThrow('not now');
  fails = false;
  expect(read()).toBe(1);
});
