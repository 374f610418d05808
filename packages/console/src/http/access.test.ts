import { expect, it } from 'vitest';
import { Access, LINK_MS, secretOf } from './access.ts';

it('signs a browser in once for a link', () => {
  const access = new Access();
  const token = access.createLink();
  const made = access.signIn(token);
  expect(access.knows(made?.secret)).toBe(true);
  expect(access.holds(made?.secret, made?.key ?? '')).toBe(true);
  expect(access.signIn(token)).toBeUndefined();
});

it('takes no link that waited too long, and none that it did not make', () => {
  let now = 0;
  const access = new Access(() => now);
  const token = access.createLink();
  now = LINK_MS + 1;
  expect(access.signIn(token)).toBeUndefined();
  expect(access.signIn('')).toBeUndefined();
  expect(access.signIn('guessed')).toBeUndefined();
});

it('needs both halves of a sign-in', () => {
  const access = new Access();
  const [one, other] = [access.signIn(access.createLink()), access.signIn(access.createLink())];
  expect(access.knows(undefined)).toBe(false);
  expect(access.knows('made up')).toBe(false);
  expect(access.holds(one?.secret, other?.key ?? '')).toBe(false);
  expect(access.holds(undefined, one?.key ?? '')).toBe(false);
});

it('finds its own cookie among others', () => {
  expect(secretOf('a=1; synapse_console_7413=abc; synapse_console_1=x', 7413)).toBe('abc');
  expect(secretOf('synapse_console_74=abc', 7413)).toBeUndefined();
  expect(secretOf(undefined, 7413)).toBeUndefined();
});
