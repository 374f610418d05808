import { expect, it } from 'vitest';
import { parseTime } from './parse-time.ts';

const now = new Date('2026-11-20T12:00:00Z');

it.each([
  ['30m', '2026-11-20T11:30:00.000Z'],
  ['2h', '2026-11-20T10:00:00.000Z'],
  ['7d', '2026-11-13T12:00:00.000Z'],
  ['2026-11-01', new Date(2026, 10, 1).toISOString()],
  ['2026-11-01T09:30Z', '2026-11-01T09:30:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(parseTime(text, now)?.toISOString()).toBe(expected);
});

it.each(['', 'yesterday', '2', 'h', '-2h', '2y', '2026-13-45', '12'])('%j is no time', (text) => {
  expect(parseTime(text, now)).toBeUndefined();
});
