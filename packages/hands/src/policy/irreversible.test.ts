import { expect, it } from 'vitest';
import { irreversible } from './irreversible.ts';

const loss = (command: string, covered?: boolean): string | undefined => irreversible(command.split(' '), covered);

it.each([
  'git push --force',
  'git push -f origin main',
  'git push -uf origin main',
  'git push --force-with-lease',
  'git push --forc',
  'git push origin +main',
  'git push origin :main',
  'git push --delete origin topic',
  'git reset --hard HEAD~3',
  'git clean -fdx',
  'git checkout -- .',
  'git checkout .',
  'git restore .',
  'git branch -D topic',
  'git tag -d v1',
  'git stash drop',
  'git reflog expire --expire=now --all',
  'git gc --prune=now',
  'git rebase main',
  'git commit --amend',
  'git filter-branch --all',
  'git update-ref -d refs/heads/a',
])('%s is for good', (command) => {
  expect(loss(command)).toEqual(expect.any(String));
});

it.each([
  'git push',
  'git push origin main',
  'git reset HEAD a',
  'git reset --soft HEAD~1',
  'git commit -m x',
  'git branch topic',
  'git stash',
  'git checkout main',
  'git clean -n',
  'git status',
  'git gc',
  'git fetch',
])('%s is not', (command) => {
  expect(loss(command)).toBeUndefined();
});

it('is covered by an undo here, and never on another machine', () => {
  expect(loss('git reset --hard', true)).toBeUndefined();
  expect(loss('git push --force', true)).toEqual(expect.any(String));
});
