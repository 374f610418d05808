import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deadline } from './execute.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function deadline(milliseconds: number, most = milliseconds) {
  const expired: number[] = [];
  return { expired, time: new Deadline({ milliseconds, most }, (within) => void expired.push(within)) };
}

it('comes when the time of a call is over, once', () => {
  const { expired } = deadline(10_000);
  vi.advanceTimersByTime(9_999);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(20_000);
  expect(expired).toEqual([10_000]);
});

it('does not come once the call has ended', () => {
  const { expired, time } = deadline(10_000);
  const question = time.suspend();
  time[Symbol.dispose]();
  question[Symbol.dispose]();
  time.renew();
  vi.advanceTimersByTime(20_000);
  expect(expired).toEqual([]);
});

it('is renewed, but not for ever', () => {
  const { expired, time } = deadline(10_000, 25_000);
  for (let round = 0; round < 4; round += 1) {
    vi.advanceTimersByTime(6_000);
    time.renew();
  }
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(999);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual([25_000]);
});

it('waits for all questions that are open at once', () => {
  const { expired, time } = deadline(10_000);
  vi.advanceTimersByTime(4_000);
  const [first, second] = [time.suspend(), time.suspend()];
  vi.advanceTimersByTime(60_000);
  first[Symbol.dispose]();
  vi.advanceTimersByTime(60_000);
  expect(expired).toEqual([]);
  second[Symbol.dispose]();
  vi.advanceTimersByTime(5_999);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual([10_000]);
});

it('is renewed while a question is open, whose time does not count', () => {
  const { expired, time } = deadline(10_000, 25_000);
  vi.advanceTimersByTime(9_000);
  const question = time.suspend();
  vi.advanceTimersByTime(60_000);
  time.renew();
  question[Symbol.dispose]();
  vi.advanceTimersByTime(9_999);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual([10_000]);
});
