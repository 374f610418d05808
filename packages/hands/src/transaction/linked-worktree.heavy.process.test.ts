import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import type { Hands } from '../runtime/hands.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

interface Place extends AsyncDisposable {
  readonly main: string;
  readonly linked: string;
  readonly git: (...words: string[]) => string;
  readonly open: (options?: Partial<HandsOptions>) => Promise<Hands>;
}

/** A repository with two linked worktrees; the first is the workspace. */
async function place(): Promise<Place> {
  const base = await temporaryHands();
  const outside = realpathSync(base.outside);
  const [main, linked] = [join(outside, 'main'), join(outside, 'linked')];
  const gitIn = (cwd: string, ...words: string[]): string => execFileSync('git', words, { cwd, encoding: 'utf8' });
  mkdirSync(main);
  writeFileSync(join(main, 'a.txt'), 'one\n');
  gitIn(main, 'init', '-q', '-b', 'main');
  gitIn(main, 'config', 'user.name', 'A');
  gitIn(main, 'config', 'user.email', 'a@example.com');
  gitIn(main, 'add', '-A');
  gitIn(main, 'commit', '-qm', 'first');
  gitIn(main, 'worktree', 'add', '-q', '-b', 'feature', linked);
  gitIn(main, 'worktree', 'add', '-q', '-b', 'other', join(outside, 'other'));
  return {
    main,
    linked,
    git: (...words) => gitIn(linked, ...words),
    open: (options = {}) =>
      createHands({ workspace: linked, stateFolder: join(base.folder, '../state-2'), sandbox: 'required', allow: ['write', 'exec'], ...options }),
    [Symbol.asyncDispose]: () => base[Symbol.asyncDispose](),
  };
}

const run = async (hands: Hands, command: string) => {
  const result = await hands.call('run_command', { command });
  if (!result.ok) throw new Error(`${result.error.message} ${result.error.hint}`);
  return result;
};

describe.skipIf((await findBubblewrap()) === undefined)('a linked worktree whose repository is outside', () => {
  it('takes commits, which are undone as one', async () => {
    await using at = await place();
    await using hands = await at.open();
    expect(hands.constraints().join('\n')).not.toContain('linked worktree');
    const before = readTree(at.main);
    expect(await hands.call('git_status')).toMatchObject({ ok: true, data: { branch: 'feature' } });
    const result = await run(hands, 'echo two > a.txt && git commit -qam second && git tag v1');
    expect(result).toMatchObject({ data: { exit_code: 0 }, meta: { ran: 'copy', undo: 'covered' } });
    expect(at.git('log', '--format=%s', 'v1')).toBe('second\nfirst\n');
    expect(at.git('--no-optional-locks', 'status', '--short')).toBe('');
    expect(await hands.call('git_log')).toMatchObject({ ok: true, data: { commits: [{ message: 'second' }, { message: 'first' }] } });
    expect(await hands.undo({}, { dryRun: true })).toMatchObject({ ok: true });
    expect(await hands.undo()).toMatchObject({ ok: true });
    expect(readTree(at.main)).toEqual(before);
    expect(at.git('log', '--format=%s')).toBe('first\n');
    expect(at.git('status', '--short')).toBe('');
  });

  it.each([
    ['a stash', 'echo two > a.txt && git stash -q && git stash list | grep -q WIP && git stash pop -q && git diff --stat | grep -q a.txt'],
    ['a new branch that tracks another', 'git switch -qc topic --track main && test "$(git config branch.topic.merge)" = refs/heads/main'],
    ['a merge', 'git switch -qc side && echo b > b.txt && git add b.txt && git commit -qm b && git switch -q feature && git merge -q side'],
    ['a rebase', 'for i in 1 2 3; do echo $i > f$i && git add -A && git commit -qm $i; done && git rebase -q --onto HEAD~2 HEAD~1'],
    ['a deleted branch', 'git branch spare && git branch -D spare && git gc -q --prune=now'],
    ['a reset', 'echo x > x && git add x && git commit -qm x && git reset -q --hard HEAD~1 && test ! -e x'],
  ])('takes %s', async (_, command) => {
    await using at = await place();
    await using hands = await at.open();
    const result = await run(hands, command);
    expect(result, JSON.stringify(result)).toMatchObject({ data: { exit_code: 0 }, meta: { ran: 'copy', undo: 'covered' } });
    expect(at.git('fsck', '--no-dangling')).toBe('');
    const undone = await hands.undo();
    expect(undone, JSON.stringify(undone)).toMatchObject({ ok: true });
    expect([at.git('log', '--format=%s'), at.git('status', '--short'), at.git('branch', '--format=%(refname:short)')]).toEqual([
      'first\n',
      '',
      'feature\nmain\nother\n',
    ]);
  });

  it.each([
    ['by its path', (main: string) => `/${main}/.git/`],
    ['by its name in the worktree', () => '.git/'],
  ])('hides what a rule denies in the repository, and keeps what one denies to change: named %s', async (_, prefix) => {
    await using at = await place();
    mkdirSync(join(at.main, '.git/logs/hidden'));
    for (const path of ['description', 'logs/hidden/x']) writeFileSync(join(at.main, '.git', path), `secret of ${path}\n`);
    const start = prefix(at.main);
    const deny = [`read(${start}description)`, `read(${start}logs/hidden/**)`, `write(${start}refs/heads/kept)`];
    await using hands = await at.open({ policy: { mode: 'trusted', deny } });
    // The rules cannot tell from its text what a script reads.
    writeFileSync(
      join(at.linked, 's.sh'),
      'cat "$1/description" "$1/logs/hidden/x"; git rev-parse --git-dir; git branch kept; git branch free; true',
    );
    const script = `sh s.sh ${join(at.main, '.git')}`;
    expect((await run(hands, script)).output).not.toContain('secret');
    expect(at.git('branch', '--format=%(refname:short)').split('\n')).toEqual(['feature', 'free', 'main', 'other', '']);
    expect((await run(hands, `git log --oneline; ${script}`)).output).toMatch(/first[^]*\.git\/worktrees\/linked/u);
    await using free = await at.open({ policy: { mode: 'trusted' } });
    expect((await run(free, script)).output).toMatch(/secret of description\nsecret of logs\/hidden\/x\n/u);
    expect(at.git('branch', '--list', 'kept')).toContain('kept');
  });

  it('asks before a commit where the mode asks, and a no leaves the repository alone', async () => {
    await using at = await place();
    const before = readTree(at.main);
    const asked: unknown[] = [];
    await using hands = await at.open({
      allow: [],
      approver: { name: 'test', ask: (request) => (asked.push(request), Promise.resolve({ verdict: 'deny', reason: 'no' })) },
    });
    const result = await run(hands, 'git commit -q --allow-empty -m second');
    expect(result.output).toContain('a person said no');
    expect(JSON.stringify(asked)).toMatch(/"git: branch feature moves from [0-9a-f]{7} to [0-9a-f]{7}"," {2}[0-9a-f]{7} second"/u);
    expect(readTree(at.main)).toEqual(before);
  });

  it('keeps changes that wait, and applies them later, in another process', async () => {
    await using at = await place();
    {
      await using hands = await at.open({ allow: [] });
      expect(await run(hands, 'git commit -q --allow-empty -m second')).toMatchObject({ meta: { pending: expect.stringMatching(/^c-/u) as string } });
    }
    expect(at.git('log', '--format=%s')).toBe('first\n');
    await using hands = await at.open({ allow: [] });
    const [pending] = hands.pendingChanges();
    expect(await hands.applyPending(pending?.handle ?? '')).toMatchObject({ ok: true });
    expect(at.git('log', '--format=%s')).toBe('second\nfirst\n');
  });

  it('applies what waits to no other repository than that of the worktree', async () => {
    await using at = await place();
    {
      await using hands = await at.open({ allow: [] });
      await run(hands, 'git commit -q --allow-empty -m second');
    }
    const pointer = readFileSync(join(at.linked, '.git'), 'utf8');
    renameSync(at.main, `${at.main}-2`);
    {
      await using hands = await at.open({ allow: [] });
      const [pending] = hands.pendingChanges();
      expect(await hands.applyPending(pending?.handle ?? '')).toMatchObject({ ok: false, error: { code: 'conflict' } });
      expect(readFileSync(join(at.linked, '.git'), 'utf8')).toBe(pointer);
    }
    renameSync(`${at.main}-2`, at.main);
    await using hands = await at.open({ allow: [] });
    const [pending] = hands.pendingChanges();
    expect(await hands.applyPending(pending?.handle ?? '')).toMatchObject({ ok: true });
    expect(at.git('log', '--format=%s')).toBe('second\nfirst\n');
  });

  it.each(['objects', 'refs'])('does not commit if %s is a link, whose target is not told from the rest', async (name) => {
    await using at = await place();
    renameSync(join(at.main, '.git', name), join(at.main, '.git', `real-${name}`));
    symlinkSync(`real-${name}`, join(at.main, '.git', name));
    const before = readTree(at.main);
    await using hands = await at.open();
    const result = await run(hands, 'git commit -q --allow-empty -m second');
    expect(result).toMatchObject({ data: { exit_code: 128 } });
    expect(hands.constraints().join('\n')).toContain('linked worktree');
    expect(readTree(at.main)).toEqual(before);
  });

  it('collects garbage if other worktrees lose nothing', async () => {
    await using at = await place();
    // Brings logs into the form in which git writes them again.
    at.git('reflog', 'expire', '--all');
    await using hands = await at.open();
    const result = await run(hands, 'git gc -q');
    expect(result).toMatchObject({ data: { exit_code: 0 } });
    expect(JSON.stringify(result)).not.toContain('.git/');
    expect(at.git('count-objects')).toMatch(/^0 objects/u);
    expect(at.git('fsck')).toBe('');
  });

  it.each([
    ['a hook', 'echo evil > "$(git rev-parse --git-common-dir)/hooks/post-checkout"', '.git/hooks/post-checkout'],
    ['a setting that names a program', 'git config core.fsmonitor /tmp/evil', '.git/config'],
    ['another repository', 'echo /tmp/evil > "$(git rev-parse --git-dir)/commondir"', '.git/worktrees/linked/commondir'],
    [
      'a setting of this worktree that names a program',
      'git config extensions.worktreeConfig true && git config --worktree core.pager evil; git config --unset extensions.worktreeConfig',
      '.git/worktrees/linked/config.worktree',
    ],
    ['objects from elsewhere', 'echo /tmp/evil > "$(git rev-parse --git-common-dir)/objects/info/alternates"', '.git/objects/info/alternates'],
    ['the head of the main worktree', 'echo ref: refs/heads/other > "$(git rev-parse --git-common-dir)/HEAD"', '.git/HEAD'],
    ['the index of the main worktree', 'echo x > "$(git rev-parse --git-common-dir)/index"', '.git/index'],
    ['another worktree', 'rm -rf "$(git rev-parse --git-common-dir)/worktrees/other"', '.git/worktrees/other'],
    ['the worktrees that it cannot see', 'git worktree prune --expire=now', '.git/worktrees/other'],
    ['the log of the head of the main worktree', 'echo x >> "$(git rev-parse --git-common-dir)/logs/HEAD"', '.git/logs/HEAD'],
    [
      'the bisection of the main worktree',
      'mkdir "$(git rev-parse --git-common-dir)/refs/bisect" && git rev-parse HEAD > "$(git rev-parse --git-common-dir)/refs/bisect/bad"',
      '.git/refs/bisect',
    ],
    [
      'objects from a path that is relative to the repository',
      'echo ../../evil > "$(git rev-parse --git-common-dir)/objects/info/alternates"',
      '.git/objects/info/alternates',
    ],
    ['its own folder', 'rm -rf "$(git rev-parse --git-dir)"', '.git/worktrees/linked'],
    ['what makes it a worktree', 'rm "$(git rev-parse --git-dir)/gitdir"', '.git/worktrees/linked/gitdir'],
    ['a setting that closes it to other worktrees', 'git config core.bare true', '.git/config'],
    ['a setting of how it is read', 'git config core.repositoryFormatVersion 1; git config extensions.objectFormat sha256', '.git/config'],
    ['a file of its own', 'echo x > "$(git rev-parse --git-common-dir)/evil"', '.git/evil'],
  ])('keeps %s from the repository', async (_, command, path) => {
    await using at = await place();
    await using hands = await at.open();
    const before = readTree(at.main);
    const result = await run(hands, `git tag control; ${command}`);
    expect(JSON.stringify(result)).toContain(path);
    expect(at.git('tag')).toBe('control\n');
    rmSync(join(at.main, '.git/refs/tags/control'));
    expect(readTree(at.main)).toEqual(before);
  });

  it('applies nothing of a new submodule, whose settings would be missing', async () => {
    await using at = await place();
    await using hands = await at.open();
    const source = join(at.linked, 'source');
    mkdirSync(source);
    execFileSync('git', ['init', '-q'], { cwd: source });
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'first', '--allow-empty'], { cwd: source });
    const before = [readTree(at.main), readTree(at.linked)];
    const result = await run(hands, 'git -c protocol.file.allow=always submodule add -q ./source sub');
    expect(result.output).toMatch(/No changes were applied: it set up a submodule[^]*changes pending c-/u);
    expect([readTree(at.main), readTree(at.linked)]).toEqual(before);
  });

  it('keeps the objects that other worktrees need, whose folders a command does not see', async () => {
    await using at = await place();
    const other = join(at.main, '../other');
    const inOther = (...words: string[]): string => execFileSync('git', words, { cwd: other, encoding: 'utf8' });
    inOther('checkout', '-q', '--detach');
    inOther('commit', '-q', '--allow-empty', '-m', 'only here');
    writeFileSync(join(other, 'staged.txt'), 'staged\n');
    inOther('add', '-A');
    await using hands = await at.open();
    const result = await run(
      hands,
      'git tag control; git worktree prune --expire=now && git reflog expire --expire=now --all && git gc -q --prune=now',
    );
    expect(result).toMatchObject({ data: { exit_code: 0 } });
    expect(at.git('tag')).toBe('control\n');
    expect([inOther('log', '--format=%s'), inOther('cat-file', '-p', ':staged.txt')]).toEqual(['only here\nfirst\n', 'staged\n']);
    expect(at.git('fsck', '--no-dangling')).toBe('');
  });

  it('does not overwrite a commit that somebody else made meanwhile', async () => {
    await using at = await place();
    await using hands = await at.open();
    const { promise: started, resolve } = Promise.withResolvers<void>();
    // Listing the folder, because the copy does not show a name that it found missing.
    const command = hands.call(
      'run_command',
      { command: 'git rev-parse HEAD; until ls | grep -q go; do sleep 0.05; done; echo two > b.txt; git commit -q --allow-empty -m mine' },
      { onProgress: () => resolve() },
    );
    await Promise.race([started, command]);
    at.git('commit', '-q', '--allow-empty', '-m', 'theirs');
    writeFileSync(join(at.linked, 'go'), '');
    const result = await command;
    expect(at.git('log', '--format=%s')).toBe('theirs\nfirst\n');
    expect(result.ok && result.output).toContain('.git was changed by something else while it ran');
    expect(readFileSync(join(at.linked, 'b.txt'), 'utf8')).toBe('two\n');
    expect(at.git('fsck', '--no-dangling')).toBe('');
  });

  it('follows rules about .git', async () => {
    await using at = await place();
    await using hands = await at.open({ allow: [], policy: { allow: ['exec(*)', 'write(**)'], deny: ['write(.git/refs/**)'] } });
    const before = readTree(at.main);
    await run(hands, 'git commit -q --allow-empty -m second');
    expect(at.git('log', '--format=%s')).toBe('first\n');
    expect(readTree(join(at.main, '.git/refs'))).toEqual(
      Object.fromEntries(Object.entries(before).flatMap(([path, value]) => (path.startsWith('.git/refs/') ? [[path.slice(10), value]] : []))),
    );
  });

  it('is told apart from a folder that only says so', async () => {
    await using at = await place();
    await using hands = await at.open({ workspace: join(at.main, '..') });
    expect(existsSync(join(at.main, '../.git'))).toBe(false);
    const result = await run(hands, 'cd linked && git commit -q --allow-empty -m second');
    expect(result).toMatchObject({ data: { exit_code: 0 } });
    expect(readFileSync(join(at.linked, '.git'), 'utf8')).toContain('gitdir: ');
  });
});
