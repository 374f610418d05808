import { renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commitAll, git, initRepository, tryGit, write } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

let temporary: TemporaryHands;
beforeEach(async () => void (temporary = await temporaryHands()));
afterEach(() => temporary[Symbol.asyncDispose]());

const status = (input: Record<string, unknown> = {}): ReturnType<TemporaryHands['hands']['call']> => temporary.hands.call('git_status', input);

it('reports a repository without commits', async () => {
  initRepository(temporary.folder);
  write(temporary.folder, { 'new.txt': '', 'dir/x': '' });
  const result = await status();
  expect(result).toMatchObject({
    ok: true,
    data: { branch: 'main', head: null, detached: false, is_clean: false, has_remote: false, untracked: ['dir/', 'new.txt'], operation: null },
  });
  expect(result.ok && result.output).toBe('On branch main, no commits yet\nUntracked (2):\n  dir/\n  new.txt\n');
});

it('sorts changes into lists', async () => {
  initRepository(temporary.folder, { a: 'a\n', b: 'b\n', c: 'c\n', old: 'a long enough text to be found again\n', t: 't' });
  write(temporary.folder, { a: 'A\n', b: 'B\n', 'n.txt': 'n' });
  renameSync(temporary.at('old'), temporary.at('moved to'));
  unlinkSync(temporary.at('t'));
  symlinkSync('a', temporary.at('t'));
  git(temporary.folder, 'add', '-A', 'b', 'old', 'moved to', 't');
  write(temporary.folder, { b: 'again\n' });
  unlinkSync(temporary.at('c'));
  const result = await status();
  expect(result).toMatchObject({
    ok: true,
    data: {
      staged: [
        { path: 'b', status: 'modified' },
        { path: 'moved to', from: 'old', status: 'renamed' },
        { path: 't', status: 'type_changed' },
      ],
      unstaged: [
        { path: 'a', status: 'modified' },
        { path: 'b', status: 'modified' },
        { path: 'c', status: 'deleted' },
      ],
      untracked: ['n.txt'],
      counts: { staged: 3, unstaged: 3, untracked: 1, conflicted: 0 },
    },
  });
  expect(result.ok && result.output).toContain('  R old -> moved to\n');
  expect(await status({ path: 'c' })).toMatchObject({ ok: true, data: { counts: { staged: 0, unstaged: 1, untracked: 0 } } });
});

it('counts what is ahead and behind, and says when the upstream is gone', async () => {
  const remote = join(temporary.outside, 'remote');
  initRepository(remote, { a: 'a' });
  git(temporary.folder, 'clone', '-q', remote, '.');
  commitAll(remote, 'theirs');
  commitAll(temporary.folder, 'mine');
  commitAll(temporary.folder, 'mine too');
  git(temporary.folder, 'fetch', '-q');
  expect(await status()).toMatchObject({ ok: true, data: { upstream: 'origin/main', ahead: 2, behind: 1, has_remote: true, is_clean: true } });
  git(temporary.folder, 'update-ref', '-d', 'refs/remotes/origin/main');
  const gone = await status();
  expect(gone).toMatchObject({ ok: true, data: { ahead: null, behind: null } });
  expect(gone.ok && gone.output).toContain('upstream origin/main is gone');
});

it('reports a detached HEAD and stashes', async () => {
  initRepository(temporary.folder, { a: 'a' });
  write(temporary.folder, { a: 'b' });
  git(temporary.folder, 'stash', '-q');
  git(temporary.folder, 'checkout', '-q', '--detach');
  const result = await status();
  expect(result).toMatchObject({ ok: true, data: { branch: null, detached: true, stashes: 1, is_clean: true } });
  expect(result.ok && result.output).toMatch(/^HEAD detached at [0-9a-f]{10}\n1 stash\nNothing to commit/u);
});

it.each([
  ['merge', ['merge', 'other']],
  ['rebase', ['rebase', 'other']],
  ['cherry-pick', ['cherry-pick', 'other']],
  ['revert', ['revert', '--no-edit', 'HEAD~1']],
  ['am', ['am', '../outside/0001-other.patch']],
] as const)('reports a %s that stopped at a conflict', async (operation, command) => {
  initRepository(temporary.folder, { a: 'base\n' });
  git(temporary.folder, 'checkout', '-q', '-b', 'other');
  write(temporary.folder, { a: 'other\n' });
  commitAll(temporary.folder, 'other');
  git(temporary.folder, 'format-patch', '-q', '-1', '-o', temporary.outside);
  git(temporary.folder, 'checkout', '-q', 'main');
  write(temporary.folder, { a: 'one\n' });
  commitAll(temporary.folder, 'one');
  write(temporary.folder, { a: 'two\n' });
  commitAll(temporary.folder, 'two');
  tryGit(temporary.folder, ...command);
  const conflicted = operation === 'am' ? [] : [{ path: 'a', conflict: 'both_modified' }];
  expect(await status()).toMatchObject({ ok: true, data: { operation, conflicted, is_clean: operation === 'am' } });
});

it('reports a bisect', async () => {
  initRepository(temporary.folder, { a: 'a' });
  git(temporary.folder, 'bisect', 'start');
  expect(await status()).toMatchObject({ ok: true, data: { operation: 'bisect' } });
});

it('shows odd names in one safe line, and takes them back', async () => {
  initRepository(temporary.folder);
  write(temporary.folder, { 'new\nline': '1\n', 'ünï-日本.txt': '1', '-dash': '1', ':(top)x': '1', 'a\ttab"quote': '1' });
  writeFileSync(Buffer.concat([Buffer.from(`${temporary.folder}/bytes-`), Buffer.from([0xff])]), '1');
  const result = await status();
  const untracked = ['-dash', ':(top)x', 'a\\x09tab"quote', 'bytes-\\xff', 'new\\x0aline', 'ünï-日本.txt'];
  expect(result.ok && (result.data as { untracked: string[] }).untracked.toSorted()).toEqual(untracked.toSorted());
  for (const path of untracked.filter((name) => !name.includes('\\xff'))) {
    expect(await status({ path })).toMatchObject({ ok: true, data: { untracked: [path] } });
  }
  expect(await status({ path: 'bytes-\\xff' })).toMatchObject({ ok: false, error: { code: 'encoding' } });
});

it('tells 2,000 entries and counts the rest', async () => {
  initRepository(temporary.folder);
  write(temporary.folder, Object.fromEntries(Array.from({ length: 2_100 }, (_, index) => [`file-${index}`, ''])));
  const result = await status();
  expect(result).toMatchObject({
    ok: true,
    data: { counts: { untracked: 2_100 } },
    meta: { truncation: { by: 'entries', shown: { entries: 2_000 }, total: { entries: 2_100 } } },
  });
  expect(result.ok && (result.data as { untracked: string[] }).untracked).toHaveLength(2_000);
});

it('says that it does not look into submodules, and names them by path', async () => {
  const other = join(temporary.outside, 'other');
  initRepository(other, { 'in.txt': 'a\n' });
  initRepository(temporary.folder, { a: 'a\n' });
  git(temporary.folder, 'submodule', 'add', '-q', other, 'sub');
  commitAll(temporary.folder, 'with a submodule');
  write(temporary.folder, { 'sub/in.txt': 'changed\n' });
  const above = await status();
  expect(above).toMatchObject({ ok: true, data: { is_clean: true } });
  expect(above.ok && above.output).toContain(
    '[Of submodules only new commits show; for files that are changed in one, ask with its folder as path.]',
  );
  expect(await status({ path: 'sub' })).toMatchObject({ ok: true, data: { repository: 'sub', unstaged: [{ path: 'sub/in.txt' }] } });
});
