import { expect, it } from 'vitest';
import { inactiveLines } from './inactive-lines.ts';

type Session = Parameters<typeof inactiveLines>[0];
const LEGEND = { legend: { tokenTypes: ['variable', 'comment'] } };
const lines = async (capability: unknown, answer: unknown): Promise<number[]> => {
  const session: Pick<Session, 'capability' | 'about'> = { capability: () => capability, about: async () => answer };
  return [...(await inactiveLines(session, 'a.c'))];
};

it('reads the lines that a server marks', async () => {
  // A variable on line 1, then marks on the lines 3 and 4, and a variable on line 9.
  const data = [0, 4, 1, 0, 0, 2, 0, 10, 1, 0, 1, 0, 3, 1, 0, 5, 0, 1, 0, 0];
  expect(await lines(LEGEND, { data })).toEqual([3, 4]);
});

it.each<[capability: unknown, answer: unknown]>([
  [undefined, { data: [0, 0, 1, 1, 0] }],
  [true, { data: [0, 0, 1, 1, 0] }],
  [LEGEND, null],
  [LEGEND, { data: 'x' }],
  [LEGEND, { data: [0, 0, 1] }],
  [LEGEND, { data: [0, 0, 1, 99, 0] }],
  [LEGEND, { data: [-1, 0, 1, 1, 0] }],
])('knows none from %j and %j', async (capability, answer) => {
  expect(await lines(capability, answer)).toEqual([]);
});
