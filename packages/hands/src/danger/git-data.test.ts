import { expect, it } from 'vitest';
import { isGitConfiguration, isGitData } from './git-data.ts';

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
  '.git/refs',
  '.git/logs',
  '.git/logs/head',
  '.git/logs/refs/heads/main',
  '.git/objects/ab',
  '.git/objects/ab/cdef',
  '.git/objects/pack/pack-1.idx',
  '.git/objects/info/commit-graph',
  '.git/info/refs',
  'vendor/x/.git/refs/tags/v1',
  '.git/worktrees/one/head',
  '.git/worktrees/one/index',
  '.git/modules/libs/x/refs/heads/main',
])('%s is data', (path) => {
  expect(isGitData(path)).toBe(true);
});

it.each([
  '.git',
  '.git/config',
  '.git/config.worktree',
  '.git/hooks',
  '.git/hooks/pre-commit',
  '.git/hooks/head/pre-commit',
  '.git/info',
  '.git/info/attributes',
  '.git/objects/info',
  '.git/objects/info/alternates',
  '.git/objects',
  '.git/refs/heads/.git',
  '.git/refs/heads/.git/hooks/pre-commit',
  '.git/logs/hooks/pre-commit',
  '.git/modules/libs/logs/hooks',
  '.git/modules/libs/logs/hooks/pre-commit',
  '.git/commondir',
  '.git/gitdir',
  '.git/modules',
  '.git/modules/libs/x',
  '.git/modules/libs/x/config',
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
  '.git/refs/heads/a\nb',
  'a\nb/.git/head',
])('%s is not', (path) => {
  expect(isGitData(path)).toBe(false);
});

it('knows the configuration of a repository', () => {
  expect(['.git/config', 'a/.git/modules/libs/x/config', '.git/worktrees/one/config'].map(isGitConfiguration)).toEqual([true, true, true]);
  expect(['.git/config.worktree', '.git/hooks/config/x', 'config', '.git/config/x', 'x.git/config'].map(isGitConfiguration)).not.toContain(true);
});
