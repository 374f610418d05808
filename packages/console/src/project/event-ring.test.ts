import { expect, it } from 'vitest';
import { EventRing } from './event-ring.ts';

const event = (call: string) => ({ type: 'progress', call, output: '' }) as const;

it('numbers events without a gap, however many are forgotten', () => {
  const ring = new EventRing(10);
  for (let index = 1; index <= 95; index += 1) ring.add(event(String(index)));
  expect(ring.last).toBe(95);
  expect(ring.since(93, 10)).toEqual([event('94'), event('95')]);
  expect(ring.since(85, 3)).toEqual([event('86'), event('87'), event('88')]);
  expect(ring.since(95, 10)).toEqual([]);
  expect(ring.since(10, 10)).toBeUndefined();
  expect(ring.since(96, 10)).toBeUndefined();
});

it('tells who listens, until they do not', () => {
  const ring = new EventRing();
  let heard = 0;
  {
    using _listening = ring.subscribe(() => (heard += 1));
    ring.add(event('a'));
  }
  ring.add(event('b'));
  expect(heard).toBe(1);
});
