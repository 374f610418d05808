import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { makePlace, outcome, runCli, startCli } from './run-cli.ts';

const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;
if (!hasSandbox) process.stderr.write('TESTS OF THE QUARANTINE LEFT OUT: bubblewrap does not work here. See `synapse doctor`.\n');

it.skipIf(!hasSandbox)('shows a person what a command left for others to run, and puts back what is wanted', async () => {
  const place = await makePlace({ 'x.sh': 'echo script-shell=./x > .npmrc; echo x > .envrc\n' });
  const ran = await runCli(place, ['call', 'run_command', '{"command":"sh x.sh"}', '--yes']);
  expect(ran).toMatchObject({ code: 0, err: expect.stringContaining('put it back: synapse quarantine') as string });
  await expect(readFile(join(place.folder, '.npmrc'))).rejects.toMatchObject({ code: 'ENOENT' });

  const { items } = JSON.parse((await runCli(place, ['quarantine', '--json'])).out) as { items: Array<{ id: string; path: string; keptAs: string }> };
  expect(items.map(({ path }) => path).toSorted()).toEqual(['.envrc', '.npmrc']);
  const npmrc = items.find(({ path }) => path === '.npmrc');
  const id = npmrc?.id ?? '';
  expect(await readFile(npmrc?.keptAs ?? '', 'utf8')).toBe('script-shell=./x\n');
  const table = await runCli(place, ['quarantine']);
  expect(table.out).toMatch(new RegExp(`^${id} {2}\\S+ \\S+ {2}\\.npmrc +protected: \\S`, 'mu'));

  expect(await runCli(place, ['quarantine', 'restore', id])).toMatchObject({
    code: 4,
    err: expect.stringContaining('nothing was put back') as string,
  });
  await expect(readFile(join(place.folder, '.npmrc'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await runCli(place, ['quarantine', 'restore', id, '--yes'])).toMatchObject({ code: 0 });
  expect(await readFile(join(place.folder, '.npmrc'), 'utf8')).toBe('script-shell=./x\n');
  expect((await runCli(place, ['quarantine', 'restore', id, '--yes'])).code).toBe(5);

  const other = items.find(({ path }) => path === '.envrc')?.id ?? '';
  expect(await runCli(place, ['quarantine', 'discard', other.slice(0, 6), '--yes'])).toMatchObject({ code: 0 });
  expect(await runCli(place, ['quarantine'])).toMatchObject({ code: 0, out: '', err: 'Nothing is in quarantine here.\n' });
});

it.skipIf(!hasSandbox)('tells with the next command what was left where it was killed in the middle of one', async () => {
  // A new repository is writable also for a command that runs in the workspace itself, and looked at afterwards.
  const place = await makePlace({ 'x.sh': 'git init -q sub; echo x > sub/.git/hooks/pre-commit; touch ready; sleep 300\n' });
  const hook = join(place.folder, 'sub/.git/hooks/pre-commit');
  const child = startCli(place, ['call', 'run_command', '{"command":"sh x.sh","live":true}', '--yes']);
  const ended = outcome(child);
  await vi.waitFor(() => expect(existsSync(join(place.folder, 'ready'))).toBe(true), { timeout: 60_000 });
  child.kill('SIGKILL');
  await ended;
  const next = await runCli(place, ['call', 'run_command', '{"command":"true"}', '--yes']);
  expect(next.err).toContain('left by an earlier command that was cut off, please check: sub/.git/hooks/pre-commit (git-hook: git runs it)');
  expect(await readFile(hook, 'utf8')).toBe('x\n');
  expect((await runCli(place, ['call', 'run_command', '{"command":"true"}', '--yes'])).err).not.toContain('cut off');
});
