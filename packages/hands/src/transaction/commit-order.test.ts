import { expect, it } from 'vitest';
import { follows } from './commit-order.ts';

const hash = (number: number): string => number.toString(16).padStart(40, '0');

/** Commits by number, with the numbers of their parents. */
type Commits = Readonly<Record<number, readonly number[]>>;

const reader = (commits: Commits) => {
  const byHash = new Map(Object.entries(commits).map(([number, parents]) => [hash(Number(number)), { parents: parents.map(hash), subject: '' }]));
  return (name: string) => byHash.get(name);
};

it.each<[string, boolean | undefined, { before: number; after: number; made: Commits; old?: Commits }]>([
  ['a commit', true, { before: 1, after: 2, made: { 2: [1] } }],
  ['a merge of what was made elsewhere', true, { before: 1, after: 4, made: { 3: [9], 4: [3, 1] } }],
  [
    'more commits than a list shows',
    true,
    { before: 1, after: 101, made: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [at + 2, [at + 1]])) },
  ],
  ['an amended commit', false, { before: 2, after: 3, made: { 3: [1] }, old: { 2: [1] } }],
  ['an amended first commit', false, { before: 1, after: 2, made: { 2: [] } }],
  ['an amended commit of a packed history', undefined, { before: 2, after: 3, made: { 3: [1] } }],
  ['a commit that is packed', undefined, { before: 1, after: 2, made: {} }],
  ['a reset to an ancestor', false, { before: 3, after: 1, made: {}, old: { 3: [2], 2: [1] } }],
  ['another branch that was there and follows it', true, { before: 1, after: 3, made: {}, old: { 3: [2], 2: [1], 1: [] } }],
  ['a commit on another branch that was there', true, { before: 1, after: 4, made: { 4: [3] }, old: { 3: [2], 2: [1], 1: [] } }],
  ['another history', false, { before: 1, after: 3, made: { 3: [2] }, old: { 2: [], 1: [] } }],
])('%s: %s', (_, expected, { before, after, made, old = {} }) => {
  const [ofCommand, ofAll] = [reader(made), reader({ ...old, ...made })];
  expect(follows(hash(before), hash(after), { made: ofCommand, known: ofAll }, { left: 1_000 })).toBe(expected);
});

it('stops at its budget, also for a commit of many parents', () => {
  let looked = 0;
  const made = (name: string) => {
    looked += 1;
    return name === hash(7)
      ? { parents: Array.from({ length: 5_000 }, (_, at) => hash(at + 100)), subject: '' }
      : { parents: [hash(7)], subject: '' };
  };
  const budget = { left: 100 };
  expect(follows(hash(1), hash(2), { made, known: made }, budget)).toBeUndefined();
  expect(looked).toBeLessThanOrEqual(100);
});

it('takes nothing but a hash for a commit', () => {
  const asked: string[] = [];
  const read = (name: string) => {
    asked.push(name);
    return name === hash(2) ? { parents: ['../../x'], subject: '' } : undefined;
  };
  expect(follows(hash(1), hash(2), { made: read, known: read }, { left: 10 })).toBeUndefined();
  expect(new Set(asked)).toEqual(new Set([hash(1), hash(2)]));
});
