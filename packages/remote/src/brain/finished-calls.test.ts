import type { FinishedCall } from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import { FinishedCalls } from './finished-calls.ts';

const resultOf = (length: number): FinishedCall => ({ status: 'success', bytes: length, sha256: 's', body: 'x'.repeat(length) });

it('keeps the latest results within a length, and those that their callers do not have', () => {
  const finished = new FinishedCalls((id) => id !== 'needed', 100);
  const kept = (): string[] => ['needed', 'a', 'b', 'c', 'd'].filter((id) => finished.get(id) !== undefined);
  expect(finished.isReused('a', 'h')).toBe(false);
  for (const id of ['needed', 'a', 'b']) finished.add(id, resultOf(30));
  expect(kept()).toEqual(['needed', 'a', 'b']);
  finished.add('c', resultOf(30));
  expect(kept()).toEqual(['needed', 'b', 'c']);
  // The machine is asked for it, as the same call.
  expect(finished.isReused('a', 'h')).toBe(false);
  expect(finished.isReused('a', 'other')).toBe(true);
  finished.add('a', resultOf(30));
  expect(kept()).toEqual(['needed', 'a', 'c']);
  // Longer than what is kept of all: only it stays.
  finished.add('d', resultOf(500));
  expect(kept()).toEqual(['needed', 'd']);
  finished.add('d', resultOf(10));
  finished.add('b', resultOf(30));
  expect(kept()).toEqual(['needed', 'b', 'd']);
});
