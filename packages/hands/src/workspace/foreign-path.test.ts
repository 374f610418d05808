import { describe, expect, it } from 'vitest';
import { foreignPath } from './foreign-path.ts';

describe('a path that is no name', () => {
  it.each([
    ['file:/srv/app/w.txt', 'URL', RegExp('relative to the workspace', 'u')],
    ['https:/example.com/a.ts', 'URL', /relative/u],
    ['vscode-remote:/x/a.ts', 'URL', /relative/u],
    ['C:/proj/a.ts', 'drive of Windows', /relative/u],
    ['$HOME/a.ts', 'variable', /relative/u],
    ['$REPO_ROOT/src/a.ts', 'variable', /relative/u],
    ['${workspaceFolder}/a.ts', 'variable', /relative/u],
    ['$(pwd)/a.ts', 'variable', /relative/u],
    ['%USERPROFILE%/a.ts', 'variable', /relative/u],
    ['$env:HOME/a.ts', 'variable', /relative/u],
    ['<workspace>/a.ts', 'placeholder', /relative/u],
    ['"src/a.ts"', 'quotes', /Write src\/a\.ts\./u],
    ['`a.ts`', 'quotes', /Write a\.ts\./u],
    [' src/a.ts', 'white space', /Write src\/a\.ts\./u],
    ['src/a.ts ', 'white space', /Write src\/a\.ts\./u],
    ['src /a.ts', 'white space', /Write src\/a\.ts\./u],
    ['src/a.ts:10', 'line number', /Write src\/a\.ts\./u],
    ['src/a.ts:10:3', 'line number', /Write src\/a\.ts\./u],
    ['a.py:L4-L9', 'line number', /Write a\.py\./u],
  ])('%j %s', (path, reason, hint) => {
    const names = path.split('/').filter((name) => name !== '');
    const found = foreignPath(names, names.length);
    expect(found?.reason).toContain(reason);
    expect(found?.hint).toMatch(hint);
  });

  it.each([
    'src/a b.ts',
    'app/$id.tsx',
    '$id/edit.tsx',
    '$lib/index.ts',
    '$types.ts',
    '${name}.txt',
    '[id]/page.tsx',
    '{{cookiecutter.slug}}/setup.py',
    '__name__/a.ts',
    '"a" or "b.txt',
    'a:b.txt',
    'node:fs.md',
    'notes 10:30',
    'v1.2:3/a.txt',
    '<T>.md',
    '%23.txt',
    '@scope/name/a.ts',
    "it's",
  ])('%j is one', (path) => {
    const names = path.split('/');
    expect(foreignPath(names, names.length)).toBeUndefined();
  });

  it.each([
    ['file:/a.ts', 1],
    ['$HOME/a.ts', 1],
    [' x/a.ts', 1],
    ['"x/a"', 1],
    ['a.ts:10', 0],
  ])('%j is one where its folder is there', (path, created) => expect(foreignPath(path.split('/'), created)).toBeUndefined());
});
