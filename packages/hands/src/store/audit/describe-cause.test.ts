import { expect, it } from 'vitest';
import { describeCause } from './describe-cause.ts';

it('tells what broke, and where', () => {
  const lines = describeCause(new TypeError('no such thing')).split('\n');
  expect(lines[0]).toBe('TypeError: no such thing');
  expect(lines[1]).toContain('describe-cause.test.ts');
  expect(lines.length).toBeLessThan(8);
});

it.each([
  ['text', 'text'],
  [undefined, 'undefined'],
  [Object.create(null), '[unreadable]'],
  [
    new Proxy(new Error('a'), {
      get: () => {
        throw new Error('b');
      },
    }),
    '[unreadable]',
  ],
  [Object.defineProperty(new Error('short'), 'stack', { value: undefined }), 'Error: short'],
])('reads anything that was thrown: %#', (cause, expected) => {
  expect(describeCause(cause)).toBe(expected);
});
