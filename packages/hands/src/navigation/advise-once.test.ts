import { expect, it } from 'vitest';
import { adviseOnce } from './advise-once.ts';

it('gives an advice once in a session and a workspace, and always to a caller without a session', () => {
  const here = { session: 'advise-once', root: '/a' };
  expect([adviseOnce('x', here), adviseOnce('x', here), adviseOnce('y', here)]).toEqual(['x', undefined, 'y']);
  expect([adviseOnce('x', { ...here, root: '/b' }), adviseOnce('x', { ...here, session: 'other' })]).toEqual(['x', 'x']);
  const nowhere = { session: undefined, root: '/a' };
  expect([adviseOnce('x', nowhere), adviseOnce('x', nowhere)]).toEqual(['x', 'x']);
});

it('remembers a bounded number', () => {
  const here = { session: 'advise-once, many', root: '/a' };
  for (let index = 0; index < 1_001; index += 1) adviseOnce(`${index}`, here);
  expect([adviseOnce('1000', here), adviseOnce('0', here)]).toEqual([undefined, '0']);
});
