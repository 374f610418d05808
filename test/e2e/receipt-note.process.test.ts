import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { git } from '../../packages/hands/src/testing/git-repository.ts';
import { repositoryPlace } from './record-session.ts';
import { CLI, runCli } from './run-cli.ts';

const works = (await findBubblewrap()) !== undefined;
const SCRIPT = fileURLToPath(new URL('../../actions/verify-receipts/verify-receipts.sh', import.meta.url));

it.skipIf(!works)('writes the receipts of a commit as its git note, which the action verifies elsewhere', async () => {
  const scripts = { test: 'true', lint: 'false' };
  const place = await repositoryPlace({ 'package.json': JSON.stringify({ name: 'x', scripts }), 'a.js': '1\n' });
  const note = async (): Promise<unknown> => await runCli(place, ['receipt', '--for', 'HEAD', '--note']);
  expect(await note()).toMatchObject({ code: 5, err: expect.stringContaining('No command ran on these files') as string });
  for (const command of ['npm test', 'npm run lint'])
    await runCli(place, ['call', 'run_command', JSON.stringify({ command }), '--allow', 'exec,write', '--json']);

  await writeFile(join(place.folder, 'a.js'), '2\n');
  expect(await note()).toMatchObject({ code: 1, err: expect.stringContaining('These files differ from the commit: a.js.') as string });
  await writeFile(join(place.folder, 'a.js'), '1\n');
  git(place.folder, 'symbolic-ref', 'refs/notes/synapse', 'refs/heads/other');
  expect(await note()).toMatchObject({ code: 1, err: expect.stringContaining('refs/notes/synapse is another name of a branch') as string });
  git(place.folder, 'symbolic-ref', '--delete', 'refs/notes/synapse');
  for (const _ of [1, 2])
    expect(await note()).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringMatching(/^2 receipts in the note synapse of [\da-f]{12}\./u) as string,
    });
  const text = git(place.folder, 'notes', '--ref=synapse', 'show', 'HEAD');
  const lines = text.split('\n').filter((line) => line !== '');
  // The first lines are for people.
  expect(
    lines
      .slice(0, 2)
      .map((line) => line.replace(/ {2}\d+\.\d s {2}[\da-f]{8}$/u, ''))
      .toSorted(),
  ).toEqual(['exit code 1  npm run lint', 'passed  npm test']);
  expect(
    lines
      .slice(2)
      .map((line) => (JSON.parse(line) as { command: string }).command)
      .toSorted(),
  ).toEqual(['npm run lint', 'npm test']);
  const kept = join(place.folder, '..', 'kept-note');
  await writeFile(kept, text);
  expect(await runCli(place, ['receipt', 'verify', kept, '--command', 'npm test', '--passed'])).toMatchObject({ code: 0, out: 'valid\n' });
  expect(await runCli(place, ['receipt', 'verify', kept])).toMatchObject({ code: 2, err: expect.stringContaining('holds 2 receipts') as string });

  const folder = join(await mkdtemp(join(tmpdir(), 'synapse-note-')), 'clone');
  const run = promisify(execFile);
  await run('git', ['clone', '-q', '--no-hardlinks', place.folder, folder]);
  git(folder, 'fetch', '-q', 'origin', 'refs/notes/synapse:refs/notes/synapse');
  const state = await mkdtemp(join(tmpdir(), 'synapse-note-state-'));
  const key = (await runCli(place, ['receipt', 'key'])).out.trim();
  const program = { SYNAPSE_PROGRAM: `${process.execPath} ${CLI}`, SYNAPSE_KEY: key, SYNAPSE_COMMANDS: 'npm test\n' };
  const env = { PATH: process.env['PATH'], HOME: state, XDG_STATE_HOME: state, ...program };
  expect((await run('bash', [SCRIPT], { cwd: folder, env })).stdout).toBe('passed   npm test\n');

  // The note is undone like any other change.
  expect(await runCli(place, ['undo', '--last', '2', '--yes'])).toMatchObject({ code: 0 });
  expect(git(place.folder, 'for-each-ref', 'refs/notes')).toBe('');
  expect(await runCli(place, ['receipt', '--note'])).toMatchObject({ code: 2, err: expect.stringContaining('--note needs a commit.') as string });
});
