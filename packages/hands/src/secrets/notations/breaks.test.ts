import { expect, it } from 'vitest';
import { breakingPairs } from './breaks.ts';
import { notationsOf, textsOf } from './known-notations.ts';
import type { Reader } from './reader.ts';

const VALUES = ['ghp_Zq8e3RtYuIoP0aSdFgHjKlXcVbNm1234567', 'wJalrXUtnFEMI/K7MDENG', 'a b"c!d~'];

/**
 * Writes one notation, or the beginning of one, by going a way that seeds choose.
 *
 * @param visit called with each reader on the way
 */
function written(start: Reader, seed: number, visit = (_reader: Reader): void => {}): number[] {
  const bytes: number[] = [];
  let reader: Reader | undefined = start;
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  while (reader !== undefined && !reader.isEnd && bytes.length < 200) {
    const here: Reader = reader;
    visit(here);
    const first = random(256);
    const byte = Array.from({ length: 256 }, (_, index) => (first + index) & 0xff).find((one) => here.may(one) && here.after(one).length > 0);
    if (byte === undefined) break;
    bytes.push(byte);
    const after = here.after(byte);
    reader = after[random(after.length)];
  }
  return bytes;
}

it('no notation has a pair that breaks them', { timeout: 60_000 }, () => {
  const breaks = breakingPairs(textsOf(VALUES));
  const { starts } = notationsOf(VALUES);
  let longest = 0;
  for (let seed = 1; seed <= 300; seed += 1) {
    const start = starts[seed % starts.length];
    if (start === undefined) throw new Error('There are no notations.');
    const bytes = written(start, seed * 7_919);
    longest = Math.max(longest, bytes.length);
    for (let at = 1; at < bytes.length; at += 1) {
      const pair = Buffer.from(bytes.slice(at - 1, at + 1));
      expect(
        breaks[pair.readUInt16BE()],
        `${JSON.stringify(pair.toString('latin1'))} in ${JSON.stringify(Buffer.from(bytes).toString('latin1'))}`,
      ).toBe(0);
    }
  }
  expect(longest).toBeGreaterThan(30);
});

it('whether something may come after a byte is known without reading it', { timeout: 60_000 }, () => {
  const { starts } = notationsOf(VALUES);
  let asked = 0;
  const visit = (reader: Reader): void => {
    for (let byte = asked % 7; byte < 256; byte += 7) {
      asked += 1;
      if (reader.may(byte) !== reader.after(byte).length > 0) throw new Error(`Reader ${reader.id} is wrong about ${byte}.`);
    }
  };
  for (const [index, start] of starts.entries()) for (let seed = 1; seed <= 20; seed += 1) written(start, seed * 104_729 + index, visit);
  expect(asked).toBeGreaterThan(10_000);
});

it('most pairs of other bytes break, the control', () => {
  const breaks = breakingPairs(textsOf(VALUES));
  expect(breaks.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(50_000);
});
