import { expect, it } from 'vitest';
import { semaphore } from './semaphore.ts';

it('lets no more through at once than it is wide, in the order they came', async () => {
  const pass = semaphore(2);
  let inside = 0;
  let most = 0;
  const order: number[] = [];
  const work = (index: number) => async (): Promise<number> => {
    order.push(index);
    inside += 1;
    most = Math.max(most, inside);
    await Promise.resolve();
    inside -= 1;
    return index;
  };
  const results = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => pass(work(index))));
  expect(results).toEqual([0, 1, 2, 3, 4, 5]);
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

it('goes on after work that failed', async () => {
  const pass = semaphore(1);
  await expect(pass(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(pass(() => Promise.resolve('next'))).resolves.toBe('next');
});
