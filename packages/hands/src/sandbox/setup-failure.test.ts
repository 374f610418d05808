import { expect, it } from 'vitest';
import { SaidEnds } from './setup-failure.ts';

it('keeps the beginning and the end of what is said', () => {
  const ends = new SaidEnds(10);
  for (const text of ['first ', 'x'.repeat(50), 'middle', ' the last']) ends.add(Buffer.from(text));
  expect(ends.text).toBe('first xxxx\ne the last');
});
