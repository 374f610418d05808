import { expect, it } from 'vitest';
import { until } from './timing.ts';

it('gives the result of the work, or its error', async () => {
  const { signal } = new AbortController();
  await expect(until(Promise.resolve(1), signal)).resolves.toBe(1);
  await expect(until(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
});

it('ends the wait when the signal aborts, also for work that never ends', async () => {
  const control = new AbortController();
  const waited = until(new Promise<never>(() => {}), control.signal);
  control.abort(new Error('cancelled'));
  await expect(waited).rejects.toThrow('cancelled');
  await expect(until(new Promise<never>(() => {}), control.signal)).rejects.toThrow('cancelled');
});
