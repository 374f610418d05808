import { expect, it } from 'vitest';
import { remembering } from './remembering.ts';

it('asks once about a short text, and each time about a long one', () => {
  const asked: string[] = [];
  const length = remembering((text) => (asked.push(text), text === '' ? undefined : text.length));
  const long = 'x'.repeat(257);
  expect([length('a'), length('a'), length(''), length(''), length(long), length(long)]).toEqual([1, 1, undefined, undefined, 257, 257]);
  expect(asked).toEqual(['a', '', long, long]);
});

it('holds a bounded number, and is right about all', () => {
  let asked = 0;
  const same = remembering((text) => ((asked += 1), text));
  const texts = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
  expect(texts.map(same)).toEqual(texts);
  expect(texts.map(same)).toEqual(texts);
  expect(asked).toBe(2_000);
});
