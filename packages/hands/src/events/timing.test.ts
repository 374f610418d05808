import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { standStill } from '../testing/stand-still.ts';
import { afterRunning, onceATurn, settlesWithin } from './timing.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

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

describe('a time in which this process runs', () => {
  /** Timers, and a clock that may be ahead of them, as where the machine stood still. */
  function clock() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let [stood, fake] = [0, performance.now.bind(performance)];
    vi.spyOn(performance, 'now').mockImplementation(() => fake() + stood);
    return { stand: (milliseconds: number) => void (stood += milliseconds) };
  }

  it('passes as any other, where nothing stands still', () => {
    clock();
    let isOver = false;
    const time = afterRunning(10_000, () => (isOver = true));
    vi.advanceTimersByTime(9_500);
    expect([isOver, time.left()]).toEqual([false, 500]);
    vi.advanceTimersByTime(500);
    expect([isOver, time.left()]).toEqual([true, 0]);
  });

  it.each([
    ['once', [30_000]],
    ['again and again', [3_000, 11_000, 4_000, 20_000]],
  ])('goes on after the machine stood still: %s', (_, waits) => {
    const { stand } = clock();
    let isOver = false;
    using time = afterRunning(10_000, () => (isOver = true));
    for (const wait of waits) {
      vi.advanceTimersByTime(1_000);
      stand(wait);
    }
    vi.advanceTimersByTime(10_000 - 1_000 * waits.length - 1);
    expect(isOver).toBe(false);
    expect(time.left()).toBeGreaterThan(0);
    vi.advanceTimersByTime(1_001);
    expect(isOver).toBe(true);
  });

  it('is not over before what is waited for can come', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const settles = settlesWithin(promise, 300);
    setTimeout(resolve, 310);
    standStill(600);
    expect(await settles).toBe(true);
  });

  it('ends with its signal, and with what is waited for', async () => {
    const ended = new AbortController();
    const never = new Promise<never>(() => {});
    const settles = settlesWithin(never, 600_000, ended.signal);
    ended.abort();
    expect([await settles, await settlesWithin(never, 600_000, ended.signal), await settlesWithin(Promise.resolve(), 600_000)]).toEqual([
      false,
      false,
      true,
    ]);
    await expect(settlesWithin(Promise.reject(new Error('failed')), 600_000)).rejects.toThrow('failed');
    expect(await settlesWithin(never, 1)).toBe(false);
  });
});
