import { expect, it } from 'vitest';
import { ChangeLog } from './change-log.ts';

it('knows whether other files changed since', () => {
  const log = new ChangeLog();
  const since = log.count;
  const only = new Set(['a']);
  log.note(['a', 'a']);
  expect(log.hasOthersSince(since, only)).toBe(false);
  log.note(['b', 'a']);
  expect(log.hasOthersSince(since, only)).toBe(true);
  expect(log.hasOthersSince(since, new Set(['a', 'b']))).toBe(false);
  expect(log.hasOthersSince(log.count, only)).toBe(false);
});

it('is bounded: what it does not know any more may have been any file', () => {
  const log = new ChangeLog();
  const all = Array.from({ length: 3_000 }, (_, index) => `f${index}`);
  log.note(all);
  expect(log.hasOthersSince(0, new Set(all))).toBe(true);
  expect(log.hasOthersSince(2_500, new Set(all))).toBe(false);
  log.noteAll();
  expect(log.hasOthersSince(2_999, new Set(all))).toBe(true);
  expect(log.hasOthersSince(log.count, new Set())).toBe(false);
});
