import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { progressUpdates, type ProgressUpdate } from './progress-updates.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function recorder(): { sent: ProgressUpdate[]; updates: ReturnType<typeof progressUpdates> } {
  const sent: ProgressUpdate[] = [];
  return { sent, updates: progressUpdates((update) => void sent.push(update)) };
}

it('sends the first at once and then only the latest of each interval', () => {
  const { sent, updates } = recorder();
  for (let progress = 1; progress <= 50; progress += 1) updates.report({ progress, total: 50 });
  expect(sent).toEqual([{ progress: 1, total: 50 }]);
  vi.advanceTimersByTime(100);
  expect(sent).toEqual([
    { progress: 1, total: 50 },
    { progress: 50, total: 50 },
  ]);
  vi.advanceTimersByTime(1_000);
  expect(sent).toHaveLength(2);
});

it('always rises, whatever the tool counts', () => {
  const { sent, updates } = recorder();
  for (const progress of [{ progress: 5 }, { progress: 3, total: 9 }, {}, { progress: 7.5 }]) {
    updates.report(progress);
    vi.advanceTimersByTime(100);
  }
  expect(sent.map(({ progress }) => progress)).toEqual([5, 6, 7, 7.5]);
  expect(sent[1]).not.toHaveProperty('total');
});

it.each([
  [{ message: 'Reading' }, 'Reading'],
  [{ output: 'one\ntwo  \n' }, 'two'],
  [{ output: 'x'.repeat(500) }, 'x'.repeat(200)],
  [{ output: '\n' }, undefined],
])('%j reads as %s', (progress, message) => {
  const { sent, updates } = recorder();
  updates.report(progress);
  expect(sent[0]?.message).toBe(message);
});

it('is silent once disposed', () => {
  const { sent, updates } = recorder();
  updates.report({ message: 'a' });
  updates.report({ message: 'b' });
  updates[Symbol.dispose]();
  vi.advanceTimersByTime(1_000);
  expect(sent).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});
