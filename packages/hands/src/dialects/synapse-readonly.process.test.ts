import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkContract } from '../testing/contract.ts';
import { git, initRepository, write } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const NOT_A_REPOSITORY = 'Error: Not a git repository';
const NOT_FOUND = 'Error: File not found';
const VIOLATION = 'Error: Security violation';

describe('contract 1: synapse-readonly', () => {
  checkContract('synapse-readonly', [
    {
      says: 'text of `git status --porcelain`',
      tool: 'get_git_status',
      prepare: ({ folder }) => {
        initRepository(folder, { 'a.txt': '1\n', 'b.txt': '1\n', 'c d.txt': '1\n' });
        write(folder, { 'a.txt': '2\n', 'b.txt': '2\n', 'new.txt': 'x' });
        git(folder, 'add', 'b.txt');
        write(folder, { 'b.txt': '3\n' });
      },
      output: ' M a.txt\nMM b.txt\n?? new.txt\n',
    },
    { says: 'a clean tree has no lines', tool: 'get_git_status', prepare: ({ folder }) => initRepository(folder, { a: '1' }), output: '' },
    { says: '`Error: Not a git repository`', tool: 'get_git_status', output: NOT_A_REPOSITORY, isError: true },
    {
      says: 'working-tree diff against HEAD followed by the staged diff, one string',
      tool: 'get_diff',
      prepare: ({ folder }) => {
        initRepository(folder, { 'a.txt': 'old\n', 'b.txt': 'old\n' });
        write(folder, { 'a.txt': 'unstaged\n', 'b.txt': 'staged\n' });
        git(folder, 'add', 'b.txt');
      },
      output: /^diff --git a\/a\.txt[^]*\+unstaged\n[^]*\+staged\n[^]*diff --git a\/b\.txt[^]*\+staged\n$/u,
    },
    {
      says: 'before the first commit all is staged',
      tool: 'get_diff',
      prepare: ({ folder }) => {
        initRepository(folder);
        write(folder, { 'a.txt': 'first\n' });
        git(folder, 'add', '-A');
      },
      output: /^diff --git a\/a\.txt[^]*\+first\n$/u,
    },
    { says: '`Error: Not a git repository`', tool: 'get_diff', output: NOT_A_REPOSITORY, isError: true },
    { says: 'file text', tool: 'read_file', files: { 'a.txt': 'one\ntwo' }, input: { path: 'a.txt' }, output: 'one\ntwo' },
    {
      says: 'file text, whole',
      tool: 'read_file',
      files: { 'a.txt': 'line of some length\n'.repeat(20_000) },
      input: { path: 'a.txt' },
      output: 'line of some length\n'.repeat(20_000),
    },
    { says: '`Error: File not found`', tool: 'read_file', input: { path: 'none.txt' }, output: NOT_FOUND, isError: true },
    { says: '`Error: Security violation` (any `..` escape)', tool: 'read_file', input: { path: '../outside/a' }, output: VIOLATION, isError: true },
    { says: '`..` in the middle', tool: 'read_file', files: { 'a/b': '' }, input: { path: 'a/../../outside/a' }, output: VIOLATION, isError: true },
    { says: 'absolute path outside', tool: 'read_file', input: { path: '/etc/passwd' }, output: VIOLATION, isError: true },
    {
      says: 'or link that leaves the root',
      tool: 'read_file',
      prepare: ({ outside, at }) => {
        writeFileSync(join(outside, 'secret'), 'secret');
        symlinkSync(join(outside, 'secret'), at('link'));
      },
      input: { path: 'link' },
      output: VIOLATION,
      isError: true,
    },
    {
      says: 'an absolute path inside is fine',
      tool: 'read_file',
      files: { 'a.txt': 'x' },
      makeInput: ({ folder }) => ({ path: join(folder, 'a.txt') }),
      output: 'x',
    },
  ]);

  it('gives the diffs that git gives', async () => {
    await using place = await temporaryHands();
    const { folder } = place;
    initRepository(folder, { 'a.txt': 'old\n', 'b.txt': 'old\n' });
    write(folder, { 'a.txt': 'unstaged\n', 'b.txt': 'staged\n' });
    git(folder, 'add', 'b.txt');
    const { output } = await place.hands.dialect('synapse-readonly').call('get_diff');
    expect(output.trimEnd()).toBe(`${git(folder, 'diff', 'HEAD')}\n${git(folder, 'diff', '--cached')}`);
  });

  it('quotes names as git does, and tells every kind of change', async () => {
    await using place = await temporaryHands();
    const { folder } = place;
    initRepository(folder, {
      'old name.txt': 'text that is long enough to be found again\n',
      'gone.txt': 'x',
      'ü.txt': 'x',
      'conflict.txt': 'base\n',
    });
    git(folder, 'checkout', '-q', '-b', 'other');
    write(folder, { 'conflict.txt': 'theirs\n' });
    git(folder, 'commit', '-qam', 'theirs');
    git(folder, 'checkout', '-q', 'main');
    write(folder, { 'conflict.txt': 'ours\n' });
    git(folder, 'commit', '-qam', 'ours');
    expect(() => git(folder, 'merge', 'other')).toThrow();
    git(folder, 'mv', 'old name.txt', 'new.txt');
    git(folder, 'rm', '-q', 'gone.txt');
    write(folder, { 'ü.txt': 'y', 'tab\there': '', 'quo"te': '' });
    const { output } = await place.hands.dialect('synapse-readonly').call('get_git_status');
    expect(output.trimEnd().split('\n')).toEqual(git(folder, 'status', '--porcelain').split('\n'));
  });
});
