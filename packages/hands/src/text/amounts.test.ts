import { expect, it } from 'vitest';
import { count } from './amounts.ts';

it.each([0, 1, 2, 999, 1000, 1234567, 1.5, -1, -1000])('groups the digits of %s as English does', (amount) => {
  expect(count(amount, 'line')).toBe(`${amount.toLocaleString('en')} ${amount === 1 ? 'line' : 'lines'}`);
});
