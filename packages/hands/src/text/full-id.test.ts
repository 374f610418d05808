import { expect, it } from 'vitest';
import { fullId } from './known-id.ts';

it.each([
  ['2abc8fe4', ['2abc8fe4-0000'], '2abc8fe4-0000'],
  ['2abc', ['2abc', '2abc8fe4'], '2abc'],
  ['2abc', ['2abc8fe4', '2abc8fe4'], '2abc8fe4'],
  ['2ab', ['2abc8fe4'], '2ab'],
  ['ffff', ['2abc8fe4'], 'ffff'],
])('%s of %j is %s', (given, known, id) => {
  expect(fullId(given, known, 'call')).toBe(id);
});

it('lists the candidates of an ambiguous id', () => {
  expect(() => fullId('2abc', ['2abc1', '2abc2'], 'call')).toThrow(
    expect.objectContaining({
      code: 'conflict',
      message: 'More than one call begins with 2abc.',
      hint: 'Name one of them: 2abc1, 2abc2.',
    }) as Error,
  );
});
