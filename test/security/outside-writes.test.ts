import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

describe.skipIf(!hasSandbox)('what a command writes outside the workspace', () => {
  let base: string;
  let root: string;
  let hands: Hands;

  beforeAll(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-outside-')));
    root = join(base, "it's the workspace");
    mkdirSync(root);
    writeFileSync(join(root, 'a.txt'), 'a\n');
    const git = (...rest: string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...rest], { cwd: root, stdio: 'ignore' });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    const options = { workspace: root, stateFolder: join(base, 'state'), configFolder: join(base, 'config'), allow: ['write', 'exec'] } as const;
    hands = await createHands({ ...options, sandbox: 'required' });
  });
  afterAll(async () => {
    await hands[Symbol.asyncDispose]();
    rmSync(base, { recursive: true, force: true });
  });

  it.each([
    ['git worktree add -q ../tree -b side', '../tree'],
    ['echo hi > ../out.txt', '../out.txt'],
    // No name that a rule could see.
    ['echo hi > "$(printf ../hidden.txt)"', '../hidden.txt'],
    ['mkdir ../folder && cp a.txt ../folder', '../folder'],
    ['ln -s a.txt ../.link', '../.link'],
    ['cp a.txt ~/in-home.txt', 'in-home.txt'],
  ])('fails: %s', async (command, path) => {
    const result = await hands.call('run_command', { command });
    if (!result.ok) throw new Error(result.error.message);
    expect(result.data.lost).toEqual([expect.stringContaining(path) as string]);
    expect(result.meta.completion).toBe('failed');
    expect(result.output).toContain('did not last');
    expect(existsSync(join(root, path))).toBe(false);
    // No half of a worktree stays, whose other half is gone.
    expect(existsSync(join(root, '.git/worktrees/tree'))).toBe(false);
  });

  // The control.
  it.each([
    'git worktree add -q tree -b inside && test -e .git/worktrees/tree/gitdir',
    'echo hi > inside.txt',
    'echo hi > /tmp/scratch && cat /tmp/scratch',
    'echo hi > ../out.txt && mv ../out.txt moved.txt',
    'mkdir -p ~/.cache/x && cat a.txt > ~/.cache/x/y',
  ])('works: %s', async (command) => {
    expect(await hands.call('run_command', { command })).toMatchObject({ ok: true, data: { exit_code: 0, lost: [] }, meta: { completion: 'ok' } });
  });
});
