import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SandboxBench, TEST_USERS, type TestUser } from '../testing/sandbox-bench.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

const FILES = { '.env': 'secret', 'd/keys/key': 'secret', '.git/HEAD': '', '.git/config': '[core]\n', 'a.txt': 'a\n' };
const open = (user: TestUser): Promise<SandboxBench> =>
  SandboxBench.open(user, { files: FILES, policy: { deniesRead: (path) => path === '.env' || path === 'd/keys' || path.startsWith('d/keys/') } });
const isOpen = ['cat .env', 'ls d/keys', ': >> .git/config'].map((attempt) => `(${attempt}) > /dev/null 2>&1`);

/** Runs a command that goes on once something else has done something. */
async function runWhile(bench: SandboxBench, meddle: (at: (path: string) => string) => void, command: string, readOnly = false) {
  const at = (path: string): string => join(bench.workspace, path);
  let begun = false;
  return await bench.inside(`echo ready; until test -e go; do sleep 0.01; done; ${command}`, {
    ...(readOnly ? { mode: 'read' as const } : {}),
    onOutput: () => {
      if (!begun) meddle(at);
      begun = true;
      writeFileSync(at('go'), '');
    },
  });
}

function replace(path: string): void {
  execFileSync('cp', ['-a', path, `${path}.new`]);
  if (existsSync(`${path}.new/.`)) execFileSync('rm', ['-r', path]);
  renameSync(`${path}.new`, path);
}

describe.skipIf((await findBubblewrap()) === undefined).each(TEST_USERS)('as %s, a place that is closed to a command that works live', (user) => {
  it('is closed again after something else replaced it, or the folder around it', async () => {
    await using bench = await open(user);
    const replaced = ['.env', 'd', '.git/config'];
    const closed = `for i in 1 2; do ${isOpen.map((attempt) => `while ${attempt}; do sleep 0.01; done`).join('; ')}; done; : > closed`;
    const ended = await runWhile(bench, (at) => replaced.forEach((path) => replace(at(path))), closed);
    expect(ended).toMatchObject({ exitCode: 0, aborted: false });
    expect(existsSync(join(bench.workspace, 'closed'))).toBe(true);
    expect(readFileSync(join(bench.workspace, '.git/config'), 'utf8')).toBe('[core]\n');
    // Outside, each is open.
    for (const attempt of isOpen) expect((await bench.outsideOf(attempt)).exitCode).toBe(0);
  });

  it('is hidden again also from a command that only reads', async () => {
    await using bench = await open(user);
    const hidden = isOpen.slice(0, 2).map((attempt) => `while ${attempt}; do sleep 0.01; done`);
    const ended = await runWhile(
      bench,
      (at) => ['.env', 'd'].forEach((path) => replace(at(path))),
      `${hidden.join('; ')}; ${hidden.join('; ')}`,
      true,
    );
    expect(ended).toMatchObject({ exitCode: 0, aborted: false });
  });

  it('ends the command if it cannot be closed again', async () => {
    await using bench = await open(user);
    const link = (at: (path: string) => string): void => {
      rmSync(at('.env'));
      symlinkSync('a.txt', at('.env'));
    };
    await expect(runWhile(bench, link, 'sleep 60')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('.env') as string,
    });
  });

  it('is left alone by what replaces other places', async () => {
    await using bench = await open(user);
    const ended = await runWhile(bench, (at) => replace(at('a.txt')), isOpen.map((attempt) => `! ${attempt}`).join(' && '));
    expect(ended).toMatchObject({ exitCode: 0, aborted: false });
  });
});
