import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, initRepository, setAuthor } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { BranchFolder } from './branch-folder.ts';
import { pinHead } from './pin-head.ts';

function repository(): { readonly root: string; readonly folder: BranchFolder } {
  const base = mkdtempSync(join(tmpdir(), 'synapse-pin-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const [root, branch] = [join(base, 'workspace'), join(base, 'branch')];
  for (const folder of [root, branch, join(branch, 'upper')]) mkdirSync(folder);
  initRepository(root);
  setAuthor(root);
  return { root, folder: new BranchFolder(branch) };
}

function commit(root: string, name: string): string {
  writeFileSync(join(root, name), name);
  git(root, 'add', name);
  git(root, 'commit', '-qm', name);
  return git(root, 'rev-parse', 'HEAD').trim();
}

const pinned = ({ pinned: at }: BranchFolder, name: string): string => readFileSync(join(at, '.git', name), 'utf8');

describe('pinHead', () => {
  it.each([
    ['a branch', 'main', []],
    ['a branch in a folder', 'fix/a/b', ['checkout -qb fix/a/b']],
    ['a branch in packed-refs', 'main', ['pack-refs --all']],
  ] as const)('keeps the commit of %s', (_, name, commands) => {
    const { root, folder } = repository();
    const first = commit(root, 'a');
    for (const command of commands) git(root, ...command.split(' '));
    pinHead(folder, root);
    commit(root, 'b');
    expect(pinned(folder, 'HEAD')).toBe(`ref: refs/heads/${name}\n`);
    expect(pinned(folder, `refs/heads/${name}`)).toBe(`${first}\n`);
    expect(
      execFileSync('git', ['ls-files'], { cwd: root, env: { ...process.env, GIT_INDEX_FILE: join(folder.pinned, '.git/index') }, encoding: 'utf8' }),
    ).toBe('a\n');
  });

  it('keeps the time of the index, by which git knows what was written in the same moment', () => {
    const { root, folder } = repository();
    commit(root, 'a');
    git(root, 'config', 'core.trustctime', 'false');
    writeFileSync(join(root, 'a'), 'b');
    const index = join(root, '.git/index');
    utimesSync(join(root, 'a'), 1_700_000_000, 1_700_000_000.5);
    git(root, 'add', 'a');
    writeFileSync(join(root, 'a'), 'c');
    for (const path of [join(root, 'a'), index]) utimesSync(path, 1_700_000_000, 1_700_000_000.5);
    pinHead(folder, root);
    const changed = (GIT_INDEX_FILE: string): string =>
      execFileSync('git', ['diff-files', '--name-only'], { cwd: root, env: { ...process.env, GIT_INDEX_FILE }, encoding: 'utf8' });
    expect([changed(index), changed(join(folder.pinned, '.git/index'))]).toEqual(['a\n', 'a\n']);
  });

  it('keeps a detached HEAD', () => {
    const { root, folder } = repository();
    const first = commit(root, 'a');
    git(root, 'checkout', '-q', '--detach');
    pinHead(folder, root);
    expect(pinned(folder, 'HEAD')).toBe(`${first}\n`);
    expect(existsSync(join(folder.pinned, '.git/refs'))).toBe(false);
  });

  it('begins anew while git has written nothing in the branch', () => {
    const { root, folder } = repository();
    const first = commit(root, 'a');
    pinHead(folder, root);
    const second = commit(root, 'b');
    mkdirSync(join(folder.upper, '.git/refs'), { recursive: true });
    pinHead(folder, root);
    expect([first, pinned(folder, 'refs/heads/main')]).toEqual([expect.not.stringContaining(second), `${second}\n`]);
    writeFileSync(join(folder.upper, '.git/index'), '');
    commit(root, 'c');
    pinHead(folder, root);
    expect(pinned(folder, 'refs/heads/main')).toBe(`${second}\n`);
  });

  it.each([
    ['a whiteout or a file', true, (at: string) => writeFileSync(at, '')],
    ['a link', true, (at: string) => symlinkSync('nowhere', at)],
    ['folders in folders', false, (at: string) => mkdirSync(join(at, 'd/'.repeat(800)), { recursive: true })],
  ] as const)('knows whether a branch that has %s for the repository wrote to it', (_, isWritten, make) => {
    const { root, folder } = repository();
    const first = commit(root, 'a');
    pinHead(folder, root);
    make(join(folder.upper, '.git'));
    commit(root, 'b');
    pinHead(folder, root);
    expect(pinned(folder, 'refs/heads/main') === `${first}\n`).toBe(isWritten);
  });

  it.each([
    ['no repository', (root: string) => rmSync(join(root, '.git'), { recursive: true })],
    ['a repository without a commit', () => {}],
    ['a HEAD that leads out of the repository', (root: string) => writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/../../../secret\n')],
    [
      'a HEAD that leads to itself',
      (root: string) =>
        writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/x\n') ?? writeFileSync(join(root, '.git/refs/heads/x'), 'ref: refs/heads/x\n'),
    ],
    ['a HEAD with a name that no file has', (root: string) => writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/a\0b\n')],
    ['a HEAD with a name that is too long', (root: string) => writeFileSync(join(root, '.git/HEAD'), `ref: refs/heads/${'a/'.repeat(1_900)}b\n`)],
    ['a HEAD that is a link', (root: string) => rmSync(join(root, '.git/HEAD')) ?? symlinkSync('../secret', join(root, '.git/HEAD'))],
    ['a repository that is a link', (root: string) => rmSync(join(root, '.git'), { recursive: true }) ?? symlinkSync('..', join(root, '.git'))],
  ] as const)('keeps nothing of %s', (_, change) => {
    const { root, folder } = repository();
    writeFileSync(join(root, '../secret'), `${'a1'.repeat(20)}\n`);
    change(root);
    pinHead(folder, root);
    expect([existsSync(folder.pinned), existsSync(`${folder.pinned}.new`)]).toEqual([false, false]);
  });
});

describe.skipIf((await findBubblewrap()) === undefined)('commits in a branch, while others commit in the workspace', () => {
  it.each([
    ['has looked', 'git status'],
    ['has staged something', 'echo one > new.txt; git add new.txt'],
    ['has done nothing', 'true'],
  ])('take nothing of theirs back: git there %s before', async (_, before) => {
    await using bench = await temporaryHands(
      { 'a.txt': 'a\n', 'b.txt': 'b\n' },
      { approver: { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) } },
    );
    const { folder, hands } = bench;
    const person = (command: string): string => execFileSync('/bin/sh', ['-ec', command], { cwd: folder, encoding: 'utf8' });
    initRepository(folder);
    setAuthor(folder);
    person('git add -A; git commit -qm first');
    await hands.createBranch('fix');
    {
      await using branch = await hands.branch('fix');
      const run = async (command: string): Promise<void> =>
        expect(await branch.call('run_command', { command })).toMatchObject({ ok: true, data: { exit_code: 0 } });
      await run(before);
      person(
        'echo theirs > a.txt; echo x > c.txt; git rm -q b.txt; git add -A; git commit -qm theirs; git checkout -qb elsewhere; git commit -q --allow-empty -m more',
      );
      await run('echo one > new.txt; git add new.txt; git commit -qm mine');
    }
    expect(await hands.applyBranch('fix', { paths: ['.git'] })).toMatchObject({ data: { commits: [{ ref: 'refs/heads/synapse/fix' }] } });
    expect(person('git show --format=%s --name-status synapse/fix')).toBe('mine\n\nA\tnew.txt\n');
    person('git merge -q --no-edit synapse/fix');
    expect(person('git ls-files; cat a.txt')).toBe('a.txt\nc.txt\nnew.txt\ntheirs\n');
  });
});

describe.skipIf((await findBubblewrap()) === undefined)('commits in a branch come along where the workspace', () => {
  it.each([
    ['was committed to before the branch was first used', 'echo p > p.txt; git add -A; git commit -qm theirs', 'true'],
    ['was packed before the branch was first used', 'git commit -q --allow-empty -m theirs; git pack-refs --all', 'true'],
    ['was only looked at since', 'true', 'touch -d 2020-01-01 a.txt; git status'],
  ])('%s', async (_, before, since) => {
    await using bench = await temporaryHands({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, { allow: ['write', 'exec'] });
    const { folder, hands } = bench;
    const person = (command: string): string => execFileSync('/bin/sh', ['-ec', command], { cwd: folder, encoding: 'utf8' });
    initRepository(folder);
    setAuthor(folder);
    person('git add -A; git commit -qm first');
    await hands.createBranch('fix');
    person(before);
    {
      await using branch = await hands.branch('fix');
      const commands = ['git status', 'echo one > new.txt; git add new.txt; git commit -qm mine', 'echo two > b.txt; git commit -qam more'];
      for (const command of commands) expect(await branch.call('run_command', { command })).toMatchObject({ data: { exit_code: 0 } });
    }
    person(since);
    expect(await hands.showBranch('fix')).toMatchObject({ held: [], conflicts: [] });
    expect(await hands.applyBranch('fix')).toMatchObject({ data: { commits: [], conflicts: [], left: 0, undo: true } });
    expect(person('git log -2 --format=%s; git status --short; git fsck')).toBe('more\nmine\n');
  });
});
