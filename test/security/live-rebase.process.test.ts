import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import { describe, expect, it, onTestFinished } from 'vitest';

const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;
const REBASE = 'git rebase -x "test -e ready" HEAD~2';
const TODO = '.git/rebase-merge/git-rebase-todo';

async function open(): Promise<{ hands: Hands; root: string }> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-rebase-')));
  const root = join(base, 'workspace');
  mkdirSync(root);
  const git = (...words: string[]): void => void execFileSync('git', words, { cwd: root, stdio: 'ignore' });
  git('init', '-q');
  git('config', 'user.name', 'T');
  git('config', 'user.email', 't@example.com');
  for (const name of ['a', 'b', 'c']) {
    writeFileSync(join(root, name), name);
    git('add', '-A');
    git('commit', '-qm', name);
  }
  const hands = await createHands({
    workspace: root,
    stateFolder: join(base, 'state'),
    configFolder: join(base, 'config'),
    allow: ['write', 'exec'],
    sandbox: 'required',
    // A live rebase is asked about: no undo covers it.
    approver: { name: 'person', ask: () => Promise.resolve({ verdict: 'allow', scope: 'once' }) },
  });
  onTestFinished(async () => {
    await hands[Symbol.asyncDispose]();
  });
  return { hands, root };
}

describe.skipIf(!hasSandbox)('a live rebase that stopped', () => {
  it('can be continued where its steps are in the command, and the result lists them', async () => {
    const { hands, root } = await open();
    const stopped = await hands.call('run_command', { command: REBASE, live: true });
    expect(stopped).toMatchObject({
      ok: true,
      data: { exit_code: 1, quarantined: [{ path: TODO, detail: 'git rebase --continue runs: test -e ready', action: 'reported' }] },
    });
    const continued = await hands.call('run_command', { command: 'touch ready; git rebase --continue', live: true });
    expect(continued).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect(existsSync(join(root, '.git/rebase-merge'))).toBe(false);
  });

  it.each([
    ['added beside it', `${REBASE}; echo "exec touch pwned" >> ${TODO}`],
    ['in place of it', `${REBASE}; sed -i "s/^exec.*/exec touch pwned/" ${TODO}`],
  ])('cannot be continued with a step %s', async (_, command) => {
    const { hands, root } = await open();
    expect(await hands.call('run_command', { command, live: true })).toMatchObject({
      ok: true,
      data: { quarantined: [{ path: TODO, action: 'moved' }] },
    });
    expect(existsSync(join(root, TODO))).toBe(false);
  });
});
