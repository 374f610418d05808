import { expect, it } from 'vitest';
import { isGitData } from './git-data.ts';

it.each([
  '.git/head',
  '.git/orig_head',
  '.git/fetch_head',
  '.git/index',
  '.git/commit_editmsg',
  '.git/merge_msg',
  '.git/packed-refs',
  '.git/refs/heads/main',
  '.git/refs/heads/feature/x',
  '.git/logs/head',
  '.git/objects/ab',
  '.git/objects/ab/cdef',
  '.git/objects/pack/pack-1.idx',
  '.git/objects/info/commit-graph',
  '.git/info/refs',
  'vendor/x/.git/refs/tags/v1',
  '.git/worktrees/one/head',
  '.git/worktrees/one/index',
  '.git/modules/libs/x/refs/heads/main',
  '.git/config',
  '.git/modules/libs/x/config',
])('%s is data', (path) => {
  expect(isGitData(path)).toBe(true);
});

it.each([
  '.git',
  '.git/config.worktree',
  '.git/hooks',
  '.git/hooks/pre-commit',
  '.git/hooks/head/pre-commit',
  '.git/info',
  '.git/info/attributes',
  '.git/objects/info',
  '.git/objects/info/alternates',
  '.git/objects',
  '.git/commondir',
  '.git/gitdir',
  '.git/modules',
  '.git/modules/libs/x',
  '.git/modules/libs/x/hooks/pre-commit',
  '.git/worktrees/one',
  '.git/worktrees/one/commondir',
  '.git/rebase-merge',
  '.git/rebase-merge/git-rebase-todo',
  '.git/remotes/origin',
  '.git/branches/origin',
  '.gitx/head',
  'x.git/head',
  'src/head',
  '.vscode/tasks.json',
])('%s is not', (path) => {
  expect(isGitData(path)).toBe(false);
});
