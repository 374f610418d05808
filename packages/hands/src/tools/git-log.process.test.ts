import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commitAll, git, initRepository, tryGit, write } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

let temporary: TemporaryHands;
beforeEach(async () => void (temporary = await temporaryHands()));
afterEach(() => temporary[Symbol.asyncDispose]());

const log = (input: Record<string, unknown> = {}): ReturnType<TemporaryHands['hands']['call']> => temporary.hands.call('git_log', input);

it('gives nothing for a repository without commits', async () => {
  initRepository(temporary.folder);
  expect(await log()).toMatchObject({ ok: true, output: '[No commits.]', data: { commits: [], has_more: false } });
  expect(await log({ revision: 'main' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
});

it('reports a path that exists neither now nor in any commit', async () => {
  initRepository(temporary.folder, { 'README.md': 'x\n', 'gone.md': '' });
  rmSync(temporary.at('gone.md'));
  expect(await log({ path: 'nothing-here.txt' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(await log({ path: 'gone.md' })).toMatchObject({ ok: true, data: { commits: [{}] } });
});

it('tells commits with whole messages and their files', async () => {
  initRepository(temporary.folder, { a: '1\n', old: 'a long enough text to be found again\n' });
  git(temporary.folder, 'mv', 'old', 'new name');
  write(temporary.folder, { a: '2\n' });
  commitAll(temporary.folder, 'subject: $(touch x) `y`\n\nbody line\nA\n0123456789012345678901234567890123456789');
  git(temporary.folder, 'tag', 'v1');
  const result = await log({ files: true });
  expect(result).toMatchObject({
    ok: true,
    data: {
      commits: [
        {
          author: 'Ada',
          email: 'ada@example.com',
          date: '2026-01-02T03:04:05+02:00',
          refs: ['HEAD -> main', 'tag: v1'],
          message: 'subject: $(touch x) `y`\n\nbody line\nA\n0123456789012345678901234567890123456789',
          files: [
            { path: 'a', status: 'modified' },
            { path: 'new name', from: 'old', status: 'renamed' },
          ],
        },
        { message: 'first', files: [{ path: 'a', status: 'added' }, { path: 'old' }] },
      ],
    },
  });
  expect(result.ok && result.output).toContain('  R old -> new name\n');
  const plain = await log();
  expect(plain).toMatchObject({ ok: true, data: { commits: [{ files: [] }, { files: [] }] } });
  expect(plain.ok && plain.output).toMatch(/^\w{10} 2026-01-02 Ada \(HEAD -> main, tag: v1\): subject: \$\(touch x\) `y`\n\w{10} \S+ Ada: first\n$/u);
});

it('pages, narrows to paths and ranges, and includes what a merge brought', async () => {
  initRepository(temporary.folder, { a: '0\n' });
  for (const name of ['b', 'c', 'd']) {
    write(temporary.folder, { [name]: '' });
    commitAll(temporary.folder, name);
  }
  git(temporary.folder, 'checkout', '-q', '-b', 'side', 'HEAD~2');
  write(temporary.folder, { side: '' });
  commitAll(temporary.folder, 'side');
  git(temporary.folder, 'checkout', '-q', 'main');
  git(temporary.folder, 'merge', '-q', '--no-edit', 'side');
  const page = await log({ limit: 2, offset: 1 });
  expect(page).toMatchObject({ ok: true, data: { commits: [{}, {}], has_more: true }, output: expect.stringContaining('"offset": 3') });
  expect(await log({ path: 'c' })).toMatchObject({ ok: true, data: { commits: [{ message: 'c' }], has_more: false } });
  expect(await log({ revision: 'side..main~1' })).toMatchObject({ ok: true, data: { commits: [{ message: 'd' }, { message: 'c' }] } });
  expect(await log({ limit: 1, files: true })).toMatchObject({ ok: true, data: { commits: [{ files: [{ path: 'side', status: 'added' }] }] } });
});

it('counts the commits of a range that it does not list in full, and no others', async () => {
  const { folder } = temporary;
  initRepository(folder, { a: '0\n', 'b/c': '0\n' });
  git(folder, 'tag', 'v1');
  for (const n of [1, 2, 3, 4]) {
    write(folder, n === 4 ? { 'b/c': '4\n' } : { a: `${n}\n` });
    commitAll(folder, `change ${n}`);
  }
  expect(await log({ revision: 'v1..HEAD', limit: 2, offset: 1 })).toMatchObject({
    data: { has_more: true, total: 4 },
    output: expect.stringContaining('More with "offset": 3; 4 commits in all.') as string,
  });
  expect(await log({ revision: 'v1..HEAD', path: 'a', limit: 1 })).toMatchObject({ data: { total: 3 } });
  for (const input of [{ limit: 2 }, { revision: 'HEAD', limit: 2 }, { revision: 'v1..HEAD' }]) {
    expect(await log(input)).toHaveProperty('data');
    expect(await log(input)).not.toHaveProperty('data.total');
  }
});

it('says where a shallow clone ends', async () => {
  const full = join(temporary.outside, 'full');
  initRepository(full, { a: '1\n', b: '1\n' });
  write(full, { a: '2\n' });
  commitAll(full, 'second');
  write(full, { a: '3\n' });
  commitAll(full, 'third');
  git(temporary.folder, 'clone', '-q', '--depth=2', `file://${full}`, '.');
  expect(await log({ files: true })).toMatchObject({
    ok: true,
    data: {
      is_shallow: true,
      commits: [
        { message: 'third', files: [{ path: 'a', status: 'modified' }], shallow: false },
        { message: 'second', files: [], shallow: true },
      ],
    },
    output: expect.stringContaining('shallow clone'),
  });
  expect(await temporary.hands.call('git_show', { revision: 'HEAD~1' })).toMatchObject({ ok: true, data: { files: [], patch: '' } });
});

it('works in a partial clone without fetching', async () => {
  const full = join(temporary.outside, 'full');
  initRepository(full, { a: '1\n', b: 'b\n' });
  git(full, 'mv', 'b', 'c');
  write(full, { a: '2\n' });
  commitAll(full, 'second');
  git(full, 'config', 'uploadpack.allowFilter', 'true');
  tryGit(temporary.folder, 'clone', '-q', '--filter=blob:none', `file://${full}`, '.');
  expect(await temporary.hands.call('git_status')).toMatchObject({ ok: true, data: { is_clean: true } });
  expect(await log({ files: true })).toMatchObject({ ok: true, data: { commits: [{ message: 'second' }, { message: 'first' }] } });
  expect(await temporary.hands.call('git_show', { revision: 'HEAD~1', path: 'a' })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
});

it('tells the names of odd files', async () => {
  initRepository(temporary.folder, { 'line\nname': '', M: '', '0123456789012345678901234567890123456789': '' });
  expect(await log({ files: true })).toMatchObject({
    ok: true,
    data: { commits: [{ files: [{ path: '0123456789012345678901234567890123456789' }, { path: 'M' }, { path: 'line\\x0aname' }] }] },
  });
});

it('reads a message in another encoding', async () => {
  initRepository(temporary.folder);
  write(temporary.folder, { '../outside/message': Buffer.from('caf\u00e9', 'latin1') });
  git(temporary.folder, '-c', 'i18n.commitEncoding=ISO-8859-1', 'commit', '-q', '--allow-empty', '-F', '../outside/message');
  expect(await log()).toMatchObject({ ok: true, data: { commits: [{ message: 'caf\u00e9' }] } });
});

it.each(['--all', '--output=x', 'main..-x', '-1'])('refuses the revision %s', async (revision) => {
  initRepository(temporary.folder, { a: '' });
  expect(await log({ revision })).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
});

it('says that a tree or a blob has no history', async () => {
  initRepository(temporary.folder, { 'd/a': '1\n' });
  git(temporary.folder, 'tag', 'folder', 'HEAD:d');
  for (const revision of ['main:d', 'main:d/a', ':d/a']) {
    expect(await log({ revision })).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments', message: expect.stringContaining('file or a folder') },
    });
  }
  for (const revision of ['folder', 'main^{tree}', 'main..folder', git(temporary.folder, 'rev-parse', 'main:d/a')]) {
    expect(await log({ revision })).toMatchObject({ ok: false, error: { code: 'not_found' } });
  }
  for (const revision of ['main', ':/first', 'main^{/first}', '@', 'main^!', 'main@{0}']) {
    expect(await log({ revision })).toMatchObject({ ok: true, data: { commits: [{ message: 'first' }] } });
  }
});

it('reads commits without a date, an author or a subject', async () => {
  initRepository(temporary.folder, { a: '1\n' });
  const tree = git(temporary.folder, 'rev-parse', 'HEAD^{tree}');
  const made = [
    ['before', 'A <a@example.com> -86400 +0000', '\n \n\nlate subject\n\nbody\n'],
    ['nobody', ' <> 1 +0000', ''],
    ['far', 'A <a@example.com> 4102444800 +1400', 'far\n'],
  ] as const;
  for (const [branch, author, message] of made) {
    write(temporary.folder, { '../outside/commit': `tree ${tree}\nauthor ${author}\ncommitter A <a@example.com> 1 +0000\n\n${message}` });
    git(
      temporary.folder,
      'update-ref',
      `refs/heads/${branch}`,
      git(temporary.folder, 'hash-object', '-t', 'commit', '-w', '--literally', '../outside/commit'),
    );
  }
  expect(await log({ revision: 'before' })).toMatchObject({
    ok: true,
    data: { commits: [{ author: 'A', date: '', message: 'late subject\n\nbody' }] },
    output: expect.stringMatching(/^\w+ A \(before\): late subject\n$/u),
  });
  expect(await log({ revision: 'before', bodies: true })).toMatchObject({
    output: expect.stringMatching(/^\w+ A \(before\): late subject\n {2}body\n$/u),
  });
  expect(await log({ revision: 'nobody' })).toMatchObject({ ok: true, data: { commits: [{ author: '', email: '', message: '' }] } });
  expect(await log({ revision: 'far' })).toMatchObject({ ok: true, data: { commits: [{ date: '2100-01-01T14:00:00+14:00' }] } });
  const shown = await temporary.hands.call('git_show', { revision: 'before' });
  expect(shown).toMatchObject({ ok: true, data: { date: '' }, output: expect.stringContaining('Date:   unknown\n') });
});
