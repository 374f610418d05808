import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { CallResult } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

type Git = (...words: string[]) => string;

async function repository(): Promise<{ readonly at: TemporaryHands; readonly git: Git } & AsyncDisposable> {
  const at = await temporaryHands({ 'a.txt': 'one\n' }, { sandbox: 'required', allow: ['write', 'exec'] });
  const git: Git = (...words) => execFileSync('git', words, { cwd: at.folder, encoding: 'utf8' });
  git('init', '-q');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return { at, git, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

/** Commits on the copy while something else is done in the workspace. */
async function commitWhile(
  at: TemporaryHands,
  meddle: () => void,
  { before = 'git status >/dev/null', after = 'echo mine > mine; git add mine; git commit -qm mine' } = {},
): Promise<CallResult> {
  let done = false;
  const onProgress = (): void => {
    if (!done) meddle();
    done = true;
    writeFileSync(at.at('go'), '');
  };
  const command = `${before}; echo ready; until ls -a . | grep -qx go; do sleep 0.01; done; ${after}`;
  const result = await at.hands.call('run_command', { command }, { onProgress });
  rmSync(at.at('go'));
  return result;
}

describe.skipIf((await findBubblewrap()) === undefined)('a commit in a repository that something else changed meanwhile', () => {
  it('waits as a whole, so that the next commit does not take back what it added', async () => {
    await using place = await repository();
    const { at, git } = place;
    const result = await commitWhile(at, () => {
      writeFileSync(at.at('theirs'), 'theirs\n');
      git('add', 'theirs');
    });
    expect(result).toMatchObject({
      ok: true,
      data: { exit_code: 0 },
      output: expect.stringMatching(
        /\.git was changed by something else while it ran, .*: no commit and no other change of it was applied\. A person/u,
      ) as string,
    });
    expect(result.ok && result.output).not.toContain('.git/');
    expect([git('log', '--format=%s'), git('status', '--short')]).toEqual(['first\n', 'A  theirs\n?? mine\n']);
    expect(readFileSync(at.at('mine'), 'utf8')).toBe('mine\n');
    expect(at.hands.pendingChanges()).toHaveLength(1);
    git('commit', '-qm', 'theirs');
    expect(git('show', '--format=', '--name-status')).toBe('A\ttheirs\n');
    expect(git('fsck')).toBe('');
  });

  it('can be applied later, with all of its objects', async () => {
    await using place = await repository();
    const { at, git } = place;
    await commitWhile(at, () => git('update-index', '--chmod=+x', 'a.txt'));
    const [waiting] = at.hands.pendingChanges();
    expect(await at.hands.applyPending(waiting?.handle ?? '')).toMatchObject({ ok: true, data: { conflicts: [], heldWithRepository: 0 } });
    expect([git('log', '--format=%s'), git('fsck')]).toEqual(['mine\nfirst\n', '']);
  });

  it('is applied where only files outside of the repository conflict', async () => {
    await using place = await repository();
    const { at, git } = place;
    const result = await commitWhile(at, () => writeFileSync(at.at('mine'), 'theirs\n'));
    expect(result.ok && result.output).toContain('mine was changed by something else');
    expect(existsSync(at.at('mine'))).toBe(true);
    expect([git('log', '--format=%s'), git('status', '--short')]).toEqual(['mine\nfirst\n', ' M mine\n']);
  });

  it('has a branch of git when a person applies what waits, and the rest of the repository waits on', async () => {
    await using place = await repository();
    const { at, git } = place;
    await commitWhile(at, () => {
      writeFileSync(at.at('theirs'), 'theirs\n');
      git('add', 'theirs');
    });
    git('commit', '-qm', 'theirs');
    const [waiting] = at.hands.pendingChanges();
    const name = `synapse/${waiting?.handle}`;
    const shown = await at.hands.showPending(waiting?.handle ?? '');
    expect(shown.repositories).toEqual([expect.stringMatching(/^\.git: [\da-f]{7} mine$/u)]);
    expect([shown.changes, shown.meaning, shown.cautions]).toEqual([[], [], [expect.stringContaining(`as the git branch ${name}, and the rest`)]]);
    const result = await at.hands.applyPending(waiting?.handle ?? '');
    expect(result).toMatchObject({
      ok: true,
      data: {
        applied: 1,
        commits: [{ repository: '.git', ref: `refs/heads/${name}` }],
        conflicts: expect.arrayContaining([expect.objectContaining({ path: '.git/index' })]),
      },
    });
    const [rest] = at.hands.pendingChanges();
    expect(result.ok && result.output).toMatch(
      new RegExp(
        `^1 change applied\\.\nSomething else changed \\.git since: the commits are in the git branch ${name}\\.\nNot applied: the rest of \\.git; it waits as ${rest?.handle}\\. To drop that: synapse changes drop ${rest?.handle}$`,
        'u',
      ),
    );
    expect([git('log', '--format=%s'), git('log', '--format=%s', name), git('fsck'), git('status', '--short')]).toEqual([
      'theirs\nfirst\n',
      'mine\nfirst\n',
      '',
      '?? mine\n',
    ]);
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(() => git('rev-parse', '-q', '--verify', name)).toThrow();
    git('fsck');
  });

  it.each([
    ['it had staged its files before', 'echo mine > mine; git add -A', 'git commit -qm mine'],
    ['it looked before', 'git status > /dev/null', 'echo mine > mine; git add mine; git commit -qm mine'],
    ['it commits all later', 'true', 'echo mine > mine; git add mine a.txt; git commit -qm mine'],
  ])('takes back nothing of what others committed while it ran: %s', async (_, before, after) => {
    await using place = await repository();
    const { at, git } = place;
    const theirs = (): void => {
      writeFileSync(at.at('theirs'), 'theirs\n');
      git('add', 'theirs');
      git('commit', '-qm', 'theirs');
    };
    expect(await commitWhile(at, theirs, { before, after })).toMatchObject({ ok: true, data: { exit_code: 0 } });
    const [waiting] = at.hands.pendingChanges();
    expect(await at.hands.applyPending(waiting?.handle ?? '')).toMatchObject({ ok: true });
    const name = `synapse/${waiting?.handle}`;
    expect(git('show', '--format=%s', '--name-status', name)).toBe('mine\n\nA\tmine\n');
    rmSync(at.at('mine'));
    git('merge', '-q', '--no-edit', name);
    expect(git('ls-files')).toBe('a.txt\nmine\ntheirs\n');
  });
});
