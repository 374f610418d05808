import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { going } from './going.ts';
import { makePlace, runCli } from './run-cli.ts';

const UNIT = 'systemd/user/synapse-desk.service';

/** The words of a command as systemd reads them. */
const wordsOf = (line: string): string[] =>
  Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"/gu), ([, word = '']) => word.replaceAll(/\\(.)/gu, '$1').replaceAll('%%', '%').replaceAll('$$', '$'));

it.skipIf(process.platform !== 'linux')(
  'a service is shown, written, started as it is written, seen, and taken out',
  { timeout: 120_000 },
  async () => {
    const made = await makePlace({ 'a.txt': 'hello\n' });
    const home = await mkdtemp(join(tmpdir(), 'synapse-home-'));
    const programs = join(home, 'bin');
    await mkdir(programs);
    // Stands in for the service manager, and tells what it was asked.
    await writeFile(join(programs, 'systemctl'), `#!/bin/sh\necho "$*" >> ${join(home, 'asked')}\n`);
    await chmod(join(programs, 'systemctl'), 0o755);
    const environment = {
      ...made.environment,
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      PATH: `${programs}:${process.env['PATH']}`,
      OPENAI_API_KEY: 'k',
    };
    const place = { ...made, environment };
    await using relay = going(place, ['relay', '--dev', '--port', '0']);
    const url = await relay.said(/^ws:/u);

    const install = ['service', 'install', url, '--name', 'desk', '--allow', 'write'];
    const asked = await runCli(place, install);
    expect(asked.code).toBe(4);
    expect(asked.err).toContain('ExecStart=');
    const file = join(home, 'config', UNIT);
    expect(existsSync(file)).toBe(false);

    expect(await runCli(place, [...install, '--yes'])).toMatchObject({ code: 0, out: '' });
    const unit = await readFile(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(unit).not.toMatch(/API_KEY|token/iu);
    expect(await readFile(join(home, 'asked'), 'utf8')).toBe('--user daemon-reload\n--user enable --now synapse-desk.service\n');

    const [program = '', ...words] = wordsOf(/^ExecStart=(.*)$/mu.exec(unit)?.[1] ?? '');
    const child = spawn(program, words, { cwd: '/', env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      for await (const line of createInterface({ input: child.stderr })) if (line.startsWith('Connected')) break;
      const status = await runCli(place, ['connect', '--status', '--json']);
      expect(JSON.parse(status.out)).toMatchObject({ sessions: [{ name: 'desk', running: true, status: 'online', workspace: made.folder }] });
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect((await runCli(place, ['connect', '--status'])).out).toContain('Not served: its process ended without a word.');

    expect((await runCli(place, ['service', 'uninstall', '--name', 'desk', '--yes'])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect((await runCli(place, ['service', 'uninstall', '--name', 'desk', '--yes'])).code).toBe(5);
  },
);

it.skipIf(process.platform !== 'linux')('a service of all projects serves each by its name', { timeout: 120_000 }, async () => {
  const [made, other] = [await makePlace({ 'a.txt': 'first\n' }), await makePlace({ 'a.txt': 'second\n' })];
  const home = await mkdtemp(join(tmpdir(), 'synapse-home-'));
  await writeFile(join(home, 'systemctl'), '#!/bin/sh\n', { mode: 0o755 });
  const environment = { ...made.environment, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), PATH: `${home}:${process.env['PATH']}` };
  const place = { ...made, environment };
  for (const { folder } of [made, other]) await runCli(place, ['projects', 'add', folder]);
  await using relay = going(place, ['relay', '--dev', '--port', '0']);
  const url = await relay.said(/^ws:/u);
  const installed = await runCli(place, ['service', 'install', url, '--name', 'desk', '--all', '--yes']);
  expect(installed).toMatchObject({ code: 0 });
  const unit = await readFile(join(home, 'config', UNIT), 'utf8');
  const [program = '', ...words] = wordsOf(/^ExecStart=(.*)$/mu.exec(unit)?.[1] ?? '');
  expect(words).toContain('--all');
  // It serves what is tracked when it runs, not what was when it was installed.
  expect(unit).not.toMatch(/--workspace|--project/u);
  expect(unit).not.toContain(other.folder);
  const child = spawn(program, words, { cwd: '/', env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    for await (const line of createInterface({ input: child.stderr })) if (line.startsWith('Connected')) break;
    for (const [{ folder }, content] of [
      [made, 'first\n'],
      [other, 'second\n'],
    ] as const) {
      const read = await runCli(place, ['call', 'read_file', '{"path":"a.txt"}', '--remote', `${url}#desk/${basename(folder)}`]);
      expect(read).toMatchObject({ code: 0, out: content });
    }
    const none = await runCli(place, ['call', 'read_file', '{"path":"a.txt"}', '--remote', `${url}#desk/none`]);
    expect(none).toMatchObject({ code: 3, out: '' });
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

it.skipIf(process.platform !== 'linux')(
  'a service manager that does not answer: the file is written, and it says what to do',
  { timeout: 60_000 },
  async () => {
    const made = await makePlace();
    const home = await mkdtemp(join(tmpdir(), 'synapse-home-'));
    await writeFile(join(home, 'systemctl'), '#!/bin/sh\necho "Failed to connect to bus: No such file or directory" >&2\nexit 1\n');
    await chmod(join(home, 'systemctl'), 0o755);
    const environment = { ...made.environment, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), PATH: `${home}:${process.env['PATH']}` };
    const install = ['service', 'install', 'ws://127.0.0.1:1', '--name', 'desk', '--yes'];
    for (const attempt of [1, 2]) {
      const { code, err } = await runCli({ ...made, environment }, install);
      expect([attempt, code]).toEqual([attempt, 1]);
      expect(err).toContain('The file is written; the service was not started. A service needs a login of this user');
    }
    expect(existsSync(join(home, 'config', UNIT))).toBe(true);
  },
);

it.each([
  [['install', 'wss://u:p@relay.example', '--name', 'desk'], 'may be secret'],
  [['install', 'wss://relay.example?token=x', '--name', 'desk'], 'may be secret'],
  [['install', 'wss://relay.example'], 'No session named'],
  [['install', 'wss://relay.example', '--name', '../x'], 'Not a name of a session'],
  [['install', 'wss://relay.example', '--name', 'desk'], 'No device is paired'],
])('refuses %j', async (words, message) => {
  const { code, err } = await runCli(await makePlace(), ['service', ...words]);
  expect(code).not.toBe(0);
  expect(err).toContain(message);
});
