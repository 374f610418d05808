import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

/** Programs that Synapse starts outside of the sandbox, or that scripts of its own do. */
const NAMES = ['git', 'rg', 'sh', 'bwrap', 'perl', 'unshare', 'nsenter', 'mount', 'mkfifo', 'env', 'node', 'cat', 'grep', 'setpriv', 'script'];

const bubblewrap = await findBubblewrap();

// `npx`, task runners and virtual environments add folders of the workspace to PATH.
it.skipIf(bubblewrap === undefined)('runs no program of the workspace itself, wherever PATH leads', async () => {
  await using at = await temporaryHands({ a: '1' });
  const [bin, mark] = [at.at('node_modules/.bin'), join(at.outside, 'mark')];
  spawnSync('sh', ['-c', 'git init -q && git add . && git -c user.name=a -c user.email=a@b.c commit -qm 1'], { cwd: at.folder });
  mkdirSync(bin, { recursive: true });
  for (const name of NAMES) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> ${mark}\nexit 1\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const [path, home] = [process.env['PATH'], process.env['HOME']];
  onTestFinished(() => void Object.assign(process.env, { PATH: path, HOME: home }));
  const own = join(at.outside, 'home');
  // With a cache, for which an overlay is mounted.
  mkdirSync(join(own, '.npm/_cacache'), { recursive: true });
  Object.assign(process.env, { PATH: `${bin}:${path ?? ''}`, HOME: own });
  await using hands = await createHands({
    workspace: at.folder,
    stateFolder: join(at.outside, 'state'),
    allow: ['write', 'exec'],
    environment: { npm_config_offline: 'true' },
  });
  for (const tool of ['git_status', 'git_log', 'git_diff'] as const) expect(await hands.call(tool, {})).toMatchObject({ ok: true });
  expect(await hands.call('search_text', { pattern: '1' })).toMatchObject({ ok: true });
  // As always, commands themselves find them first.
  expect(await hands.call('run_command', { command: 'command -v git' })).toMatchObject({ ok: true, data: { stdout: `${bin}/git\n` } });
  expect(await hands.call('run_command', { command: 'mkdir -p new/b; rm -rf new; echo 2 > a; npm --version' })).toMatchObject({ ok: true });
  expect(await hands.call('run_command', { command: '/bin/sleep 60', background: true })).toMatchObject({ ok: true });
  expect(await hands.call('run_command', { command: '/bin/true' })).toMatchObject({ ok: true });
  expect(existsSync(mark) ? readFileSync(mark, 'utf8') : '').toBe('');
  // The control.
  spawnSync('git', ['status'], { cwd: at.folder });
  expect(readFileSync(mark, 'utf8')).toBe('git status\n');
});
