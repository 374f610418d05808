import { expect, it } from 'vitest';
import { knownId, nearestIds } from './known-id.ts';

const JOBS = { what: 'job', list: 'synapse jobs lists them.' };
const known = ['job-1f0c2a9b', 'job-1f0c3333', 'job-77aa0000', 's-1a2b3c4d', '2abc8fe4-0000-4000-8000-000000000000', 'sess-one'];

it.each([
  ['job-1f0c2a9b', 'job-1f0c2a9b'],
  ['job-77', 'job-77aa0000'],
  ['77aa', 'job-77aa0000'],
  ['1f0c2', 'job-1f0c2a9b'],
  ['1a2b', 's-1a2b3c4d'],
  ['s-1a', 's-1a2b3c4d'],
  ['2abc', '2abc8fe4-0000-4000-8000-000000000000'],
  ['sess', 'sess-one'],
])('%s is %s', (given, id) => {
  expect(knownId(given, known, JOBS)).toBe(id);
});

it.each([
  ['job-1f0c', 'conflict', 'Name one of them: job-1f0c2a9b, job-1f0c3333.'],
  ['1f0c', 'conflict', 'Name one of them: 1f0c2a9b, 1f0c3333.'],
  ['job-77ab', 'not_found', 'Did you mean job-77aa0000? synapse jobs lists them.'],
  ['2abd8', 'not_found', 'Did you mean 2abc8fe4-0000-4000-8000-000000000000? synapse jobs lists them.'],
  ['zzzzzzzz', 'not_found', 'synapse jobs lists them.'],
  // Too short to name one.
  ['77', 'not_found', 'synapse jobs lists them.'],
  ['', 'not_found', 'synapse jobs lists them.'],
])('%s is refused as %s', (given, code, hint) => {
  expect(() => knownId(given, known, JOBS)).toThrow(expect.objectContaining({ code, hint }) as Error);
});

it('names each near id once', () => {
  expect(nearestIds('abce', ['abcd1', 'abcd2', 'ffff1'])).toEqual(['abcd1']);
});
