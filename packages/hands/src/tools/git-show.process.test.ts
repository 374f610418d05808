import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import type { Hands } from '../runtime/hands.ts';
import { commitAll, git, initRepository, write } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

let temporary: TemporaryHands;
beforeEach(async () => void (temporary = await temporaryHands()));
afterEach(() => temporary[Symbol.asyncDispose]());

const show = (input: Record<string, unknown> = {}): ReturnType<TemporaryHands['hands']['call']> => temporary.hands.call('git_show', input);

it('shows a commit with its message, files and patch', async () => {
  initRepository(temporary.folder, { 'a.txt': 'one\n' });
  write(temporary.folder, { 'a.txt': 'two\n', bin: Uint8Array.of(0) });
  const sha = commitAll(temporary.folder, 'subject\n\nbody');
  git(temporary.folder, 'tag', '-a', '-m', 'a tag', 'v1');
  for (const revision of ['HEAD', 'v1', sha.slice(0, 8)]) {
    expect(await show({ revision })).toMatchObject({
      ok: true,
      data: {
        type: 'commit',
        sha,
        message: 'subject\n\nbody',
        files: [
          { path: 'a.txt', added: 1, removed: 1 },
          { path: 'bin', binary: true },
        ],
        patch: expect.stringContaining('-one\n+two\n'),
        totals: { files: 2, added: 1, removed: 1 },
      },
      output: expect.stringContaining('    subject\n    \n    body\n'),
    });
  }
  const stat = await show({ stat: true });
  expect(stat).toMatchObject({ ok: true, data: { patch: '', files: [{ path: 'a.txt' }, { path: 'bin' }] } });
});

it('shows commits without changes, and a merge against its first parent', async () => {
  initRepository(temporary.folder, { a: '1\n' });
  commitAll(temporary.folder, 'empty');
  expect(await show()).toMatchObject({ ok: true, data: { message: 'empty', files: [], patch: '' } });
  git(temporary.folder, 'checkout', '-q', '-b', 'side', 'HEAD~1');
  write(temporary.folder, { b: '1\n' });
  commitAll(temporary.folder, 'side');
  git(temporary.folder, 'checkout', '-q', 'main');
  git(temporary.folder, 'merge', '-q', '--no-edit', 'side');
  expect(await show()).toMatchObject({
    ok: true,
    data: { parents: [expect.any(String), expect.any(String)], files: [{ path: 'b', status: 'added' }] },
  });
});

it('shows a file, a link and a folder as they were', async () => {
  initRepository(temporary.folder, { 'dir/a.txt': 'old ünï\n', 'dir/sub/b': '' });
  symlinkSync('/etc/passwd', temporary.at('link'));
  commitAll(temporary.folder, 'link');
  write(temporary.folder, { 'dir/a.txt': 'new\n' });
  for (const input of [{ path: 'dir/a.txt' }, { revision: 'HEAD:dir/a.txt' }, { revision: 'HEAD^{/li:?nk}:dir/a.txt' }]) {
    expect(await show(input)).toMatchObject({ ok: true, data: { type: 'file', path: 'dir/a.txt', content: 'old ünï\n', size: 10 } });
  }
  expect(await show({ path: 'dir' })).toMatchObject({ ok: true, data: { type: 'folder', content: 'dir/a.txt 10\ndir/sub/\n' } });
  expect(await show({ path: '.' })).toMatchObject({ ok: true, data: { type: 'folder', content: 'dir/\nlink 11\n' } });
  expect(await show({ revision: 'HEAD:' })).toMatchObject({ ok: true, data: { type: 'folder', content: 'dir/\nlink 11\n' } });
  expect(await show({ revision: ':/link', path: 'dir/a.txt' })).toMatchObject({ ok: true, data: { type: 'file' } });
  expect(await show({ revision: ':/link' })).toMatchObject({ ok: true, data: { type: 'commit', message: 'link' } });
  expect(await show({ path: 'link' })).toMatchObject({ ok: true, data: { type: 'link', content: '/etc/passwd' } });
});

it('shows the file as it was where a link is now', async () => {
  initRepository(temporary.folder, { 'a.txt': 'was a file\n' });
  git(temporary.folder, 'rm', '-q', 'a.txt');
  symlinkSync(join(temporary.outside, 'x'), temporary.at('a.txt'));
  expect(await show({ path: 'a.txt' })).toMatchObject({ ok: true, data: { content: 'was a file\n' } });
});

it('refuses what is binary without reading it all, and bounds what is long', async () => {
  initRepository(temporary.folder, { bin: Buffer.alloc(30_000_000), long: 'x\n'.repeat(3_000_000) });
  expect(await show({ path: 'bin' })).toMatchObject({ ok: false, error: { code: 'binary_file' } });
  const long = await show({ path: 'long' });
  expect(long).toMatchObject({ ok: true, meta: { truncation: { spill: expect.any(String), total: { bytes: 6_000_000 } } } });
  expect(long.ok && long.output.length).toBeLessThan(60_000);
});

it.each([
  [{ revision: 'nothing' }, 'not_found'],
  [{ revision: 'HEAD', path: 'nothing' }, 'not_found'],
  [{ revision: 'nothing', path: 'a' }, 'not_found'],
  [{ revision: 'HEAD~1..HEAD' }, 'invalid_arguments'],
  [{ revision: '^HEAD' }, 'invalid_arguments'],
  [{ revision: ':0:a' }, 'invalid_arguments'],
  [{ revision: 'HEAD^{tree}', path: 'a' }, 'not_found'],
  [{ revision: '--output=x' }, 'invalid_arguments'],
  [{ revision: 'HEAD', path: '../x' }, 'outside_workspace'],
  [{ revision: 'HEAD:../x' }, 'outside_workspace'],
  [{ revision: 'HEAD', path: 'a', stat: true }, 'invalid_arguments'],
  [{ revision: '--', path: 'a' }, 'invalid_arguments'],
])('refuses %o with %s', async (input, code) => {
  initRepository(temporary.folder, { a: '1\n' });
  commitAll(temporary.folder, 'second');
  expect(await show(input)).toMatchObject({ ok: false, error: { code } });
});

it('leaves out what the policy keeps back, in patches and by name', async () => {
  initRepository(temporary.folder, { '.env': 'TOKEN=hunter2\n', 'a.txt': 'one\n' });
  const commit = await show();
  expect(commit).toMatchObject({
    ok: true,
    output: expect.stringMatching(/withheld by the policy[^]*\+one/u),
    data: { files: [{ path: '.env' }, { path: 'a.txt' }] },
  });
  expect(JSON.stringify(commit)).not.toContain('hunter2');
  for (const input of [{ path: '.env' }, { revision: 'HEAD:.env' }, { revision: 'HEAD:./.env' }]) {
    expect(await show(input)).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  }
  expect(git(temporary.folder, 'show', 'HEAD')).toContain('hunter2');
});

describe('content that a rule denies', () => {
  const open = (): Promise<Hands> =>
    createHands({ workspace: temporary.folder, stateFolder: join(temporary.outside, 'state'), policy: { deny: ['read(secrets/**)'] } });
  beforeEach(() => initRepository(temporary.folder, { 'a.txt': 'one\n', 'secrets/key': 'TOKEN=hunter2\n' }));

  it('is not reached by a folder that is named by itself', async () => {
    const tree = git(temporary.folder, 'rev-parse', 'HEAD:secrets');
    git(temporary.folder, 'tag', 'folder', tree);
    expect(git(temporary.folder, 'show', `${tree}:key`)).toContain('hunter2');
    await using hands = await open();
    for (const revision of ['HEAD:secrets', 'HEAD^{tree}:secrets', tree, 'folder', `${tree}^{tree}`]) {
      const result = await hands.call('git_show', { revision, path: 'key' });
      expect(result.ok).toBe(false);
      expect(JSON.stringify(result)).not.toContain('hunter2');
    }
  });

  it.each(['git_show', 'git_blame', 'git_log', 'git_diff'])('is not reached by %s behind a link', async (tool) => {
    symlinkSync('secrets', temporary.at('plain'));
    await using hands = await open();
    expect(await hands.call(tool, { path: 'plain/key' })).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(await hands.call(tool, { path: 'a.txt' })).toMatchObject({ ok: true });
  });
});
