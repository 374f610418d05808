import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { CLI, makePlace, type Place, runCli } from './run-cli.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../../actions/verify-receipts/verify-receipts.sh', import.meta.url));
const ACTION = fileURLToPath(new URL('../../actions/verify-receipts/action.yml', import.meta.url));

async function git(place: Place, ...words: string[]): Promise<void> {
  await run('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], { cwd: place.folder });
}

/** Runs the script of the action in a checkout. */
async function verify(place: Place, variables: Record<string, string>): Promise<{ code: number; out: string }> {
  const state = await mkdtemp(join(tmpdir(), 'synapse-action-'));
  const env = { PATH: process.env['PATH'], HOME: state, XDG_STATE_HOME: state, SYNAPSE_PROGRAM: `${process.execPath} ${CLI}`, ...variables };
  try {
    return { code: 0, out: (await run('bash', [SCRIPT], { cwd: place.folder, env })).stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { code, out: stdout };
  }
}

it('verifies the receipts of a checkout, from files and from a note', async () => {
  const place = await makePlace({ 'package.json': JSON.stringify({ name: 'x', scripts: { test: 'true', lint: 'false' } }), 'a.js': '1\n' });
  await git(place, 'init', '-q');
  await git(place, 'add', '-A');
  await git(place, 'commit', '-qm', 'first');
  const receipts = await mkdtemp(join(tmpdir(), 'synapse-receipts-'));
  const texts: string[] = [];
  for (const command of ['npm test', 'npm run lint']) {
    const called = await runCli(place, ['call', 'run_command', JSON.stringify({ command }), '--allow', 'exec,write', '--json']);
    const { meta } = JSON.parse(called.out) as { meta: { receipt: string } };
    texts.push((await runCli(place, ['receipt', meta.receipt])).out);
    await writeFile(join(receipts, `${texts.length}.json`), texts.at(-1) ?? '');
  }
  const key = (await runCli(place, ['receipt', 'key'])).out.trim();
  const given = { SYNAPSE_KEY: key, SYNAPSE_COMMANDS: 'npm test\n', SYNAPSE_RECEIPTS: receipts };
  const checkout = await makePlace();
  await run('git', ['clone', '-q', place.folder, join(checkout.folder, 'clone')]);
  const clone = { ...checkout, folder: join(checkout.folder, 'clone') };

  expect(await verify(clone, given)).toEqual({ code: 0, out: 'passed   npm test\n' });
  // A run that failed is not enough, nor one that is missing.
  expect(await verify(clone, { ...given, SYNAPSE_COMMANDS: 'npm test\nnpm run lint\nnpm run types' })).toEqual({
    code: 1,
    out: 'passed   npm test\nmissing  npm run lint\nmissing  npm run types\n',
  });
  const other = await verify(clone, { ...given, SYNAPSE_KEY: 'A'.repeat(43) });
  expect([other.code, other.out.includes('forged: It was signed with another key')]).toEqual([1, true]);

  await git(clone, 'notes', '--ref=synapse', 'add', '-m', texts.map((text) => text.trim()).join('\n'), 'HEAD');
  const { SYNAPSE_RECEIPTS: _, ...byNote } = given;
  expect(await verify(clone, byNote)).toEqual({ code: 0, out: 'passed   npm test\n' });

  await writeFile(join(clone.folder, 'a.js'), '2\n');
  const stale = await verify(clone, given);
  expect([stale.code, stale.out.includes('stale: Files changed since.'), stale.out.includes('a.js')]).toEqual([1, true, true]);
  // On GitHub, a file name is no command to the runner.
  const guarded = (await verify(clone, { ...given, GITHUB_ACTIONS: 'true' })).out;
  expect(guarded).toMatch(/^missing  npm test\n::stop-commands::(\w{32})\n(?:  .*\n)*  .*a\.js\n::\1::\n$/u);
  expect(stale.out).not.toContain('::');
  // What a command is called is never run.
  await mkdir(join(clone.folder, 'empty'));
  expect((await verify(clone, { ...given, SYNAPSE_COMMANDS: '$(touch empty/ran); `touch empty/ran`', SYNAPSE_RECEIPTS: 'empty' })).code).toBe(1);
  await expect(readFile(join(clone.folder, 'empty/ran'))).rejects.toThrow('ENOENT');
});

it('passes the inputs of the action as variables', async () => {
  const text = await readFile(ACTION, 'utf8');
  expect(text).toContain('run: bash "$GITHUB_ACTION_PATH/verify-receipts.sh"');
  expect(text.split('run: bash')[1]).not.toContain('${{');
});
