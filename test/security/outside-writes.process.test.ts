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

  /** Starts a job, and returns what its answers say until it has ended. */
  async function job(
    command: string,
    ...actions: ReadonlyArray<{ readonly action: 'output' | 'wait' | 'stop' } | { readonly action: 'input'; readonly text: string }>
  ): Promise<string[]> {
    const started = await hands.call('run_command', { command, background: true, wait_pattern: 'ready' });
    if (!started.ok) throw new Error(started.error.message);
    const id = started.data.job?.id ?? '';
    const said = [started.output];
    for (const action of actions) {
      const result = await hands.call('job', { ...action, id });
      said.push(result.ok ? result.output : result.error.message);
    }
    return said;
  }

  it('of a job that ends by itself is a failure', async () => {
    expect(
      await job('echo ready; read -r x; echo hi > ../job.txt; echo hi > ~/job.txt', { action: 'input', text: 'go\n' }, { action: 'wait' }),
    ).toEqual([
      expect.not.stringContaining('FAILED'),
      expect.any(String),
      expect.stringMatching(/exit code 0.*FAILED: .*job\.txt, .*job\.txt did not last/u),
    ]);
  });

  it('of a job that runs or is stopped is a failure', async () => {
    expect(await job('mkdir ../out; echo ready; exec sleep 1000', { action: 'output' }, { action: 'stop' })).toEqual([
      expect.any(String),
      expect.stringContaining('FAILED: ../out will not last'),
      expect.stringContaining('FAILED: ../out did not last'),
    ]);
  });

  it('of a job that ends at once is a failure', async () => {
    const result = await hands.call('run_command', { command: 'echo hi > ../quick.txt; echo ready', background: true, wait_pattern: 'never' });
    expect(result).toMatchObject({ ok: true, data: { lost: ['../quick.txt'] }, meta: { completion: 'failed' } });
  });

  it('a job that writes nothing there says nothing of it', async () => {
    const said = await job(
      'echo hi > of-job.txt; echo hi > /tmp/scratch; mkdir -p ~/.cache/y; echo ready; exec sleep 1000',
      { action: 'output' },
      { action: 'stop' },
    );
    expect(said.join('\n')).not.toContain('FAILED');
  });

  it('counts in the folder of temporary files only if the command names it from the workspace up', async () => {
    const options = { stateFolder: join(base, 'state'), configFolder: join(base, 'config'), allow: ['write', 'exec'] } as const;
    await using own = await createHands({ ...options, workspace: mkdtempSync(join(realpathSync('/tmp'), 'synapse-in-tmp-')), sandbox: 'required' });
    try {
      mkdirSync(join(own.workspace, 'sub'));
      const lostBy = async (command: string): Promise<unknown> => {
        const result = await own.call('run_command', { command });
        return result.ok ? [result.data.lost, result.meta.completion] : result.error.message;
      };
      expect(await lostBy('echo x > /tmp/scratch.txt; mktemp -d; echo hi > ../out.txt')).toEqual([['../out.txt'], 'failed']);
      const many = 'for i in $(seq 60); do echo x > /tmp/a$i; done';
      const both = [[expect.stringContaining('in-home.txt'), '../out.txt'], 'failed'];
      expect(await lostBy(`${many}; echo hi > ../out.txt; echo hi > ~/in-home.txt`)).toEqual(both);
      expect(await lostBy(`${many}; mkdir ../out.txt && echo hi > ../out.txt/x && echo hi > ~/in-home.txt`)).toEqual(both);
      const names = Array.from({ length: 12 }, (_, index) => `../b${index}`);
      expect(await lostBy(`touch ${names.join(' ')} ~/in-home.txt ~/go ~/R`)).toEqual([
        [expect.stringContaining('in-home.txt'), ...names.slice(0, 4)],
        'failed',
      ]);
      expect(await lostBy('git init -q . && git clone -q . ../copy 2>&1')).toEqual([['../copy'], 'failed']);
      expect(await lostBy('echo x > /tmp/scratch.txt; mktemp -d; ls ../out.txt || true')).toEqual([[], 'ok']);
      expect(await lostBy('cd sub && echo x > ../inside.txt')).toEqual([[], 'ok']);
    } finally {
      rmSync(own.workspace, { recursive: true });
    }
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
