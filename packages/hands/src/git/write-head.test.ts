import { expect, it } from 'vitest';
import { mayCommit } from './write-head.ts';

it.each([
  ['git commit -m fix', true],
  ['git add -A && npm test && git commit -qm fix', true],
  ['git -C web stash', true],
  ['/usr/bin/git\nrebase main', true],
  ['git status; git log', false],
  ['npm version patch', false],
  ['echo digit commit', false],
])('takes %j for a command that may commit: %j', (command, expected) => {
  expect(mayCommit(command)).toBe(expected);
});

// Minutes, in the square of its length.
it('reads a long text once', () => {
  expect(mayCommit('git '.repeat(1_000_000))).toBe(false);
});
