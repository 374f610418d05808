import { expect, it } from 'vitest';
import { describeTrial } from './describe-trial.ts';

it("shows git's own files last, and keeps all of them", () => {
  const paths = ['.git/index', 'a/.git/HEAD', 'README.md', '.gitignore', '.git', 'src/a.ts'];
  const changes = paths.map((path) => ({ path, kind: 'changed' }) as const);
  const effect = { changes, more: 0, omitted: [], cautions: [] };
  const shown = describeTrial({ fingerprint: '', effect, output: '', completion: 'ok' }).changes.map(({ text }) => text.split(' ').at(-1));
  expect(shown).toEqual(['README.md', '.gitignore', 'src/a.ts', '.git/index', 'a/.git/HEAD', '.git']);
});

it('says what happened to commits in place of the data of git, and keeps what other programs obey', () => {
  const changes = [
    { path: 'a.txt', kind: 'changed', diff: '--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-a\n+b\n' },
    { path: '.git/index', kind: 'changed', note: 'binary, 1B → binary, 2B' },
    { path: '.git/objects/ab', kind: 'created', note: 'a folder' },
    { path: '.git/objects/ab/cd', kind: 'created', note: 'binary, 50B' },
    { path: '.git/refs/heads/main', kind: 'changed', diff: '--- x\n+++ x\n@@ -1,1 +1,1 @@\n-a\n+b\n' },
    { path: '.git/refs/heads/odd', kind: 'created', note: 'mode 777' },
    { path: '.git/config', kind: 'changed', diff: '--- x\n+++ x\n@@ -1,1 +1,1 @@\n-a\n+b\n' },
    { path: '.git/hooks/pre-commit', kind: 'created' },
  ] as const;
  const effect = { changes, more: 0, omitted: [], cautions: [] };
  const shown = (repositories?: readonly string[]): string[] =>
    describeTrial({
      fingerprint: '',
      effect: repositories === undefined ? effect : { ...effect, repositories },
      output: '',
      completion: 'ok',
    })
      .changes.map(({ text }) => text)
      .filter((text) => !text.startsWith('  '));
  expect(shown(['git: branch main moves from 1 to 2\u001B'])).toEqual([
    'change a.txt',
    'create .git/refs/heads/odd (mode 777)',
    'change .git/config',
    'create .git/hooks/pre-commit',
    'git: branch main moves from 1 to 2<U+001B>',
    'git: 3 files of its own data',
  ]);
  expect(shown()).toHaveLength(changes.length);
});
