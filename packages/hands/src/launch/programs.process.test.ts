import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LAUNCH_STEPS } from './launch-steps.ts';
import { PROGRAMS } from './programs.ts';

const SHELLS = ['dash', 'bash', 'busybox'].filter((shell) => spawnSync(shell, ['--help']).error === undefined);

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'synapse-programs-'))));

it('names each step of the launcher once', () => {
  expect(new Set(LAUNCH_STEPS.map(({ name }) => name)).size).toBe(LAUNCH_STEPS.length);
});

describe.each(SHELLS)('in %s', (shell) => {
  /** Runs a program with a file as descriptor 3. */
  function run(name: keyof typeof PROGRAMS, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const path = join(folder, 'written');
    writeFileSync(path, '');
    const descriptor = openSync(path, 'r+');
    const words = shell === 'busybox' ? ['sh'] : shell === 'bash' ? ['--posix'] : [];
    const { status, stdout, stderr } = spawnSync(shell, [...words, '-c', PROGRAMS[name], 'sh', ...args], {
      stdio: ['ignore', 'pipe', 'pipe', descriptor],
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    });
    closeSync(descriptor);
    return { status, stdout, stderr, lines: readFileSync(path, 'utf8').split('\n').slice(0, -1) };
  }

  it.each([
    ['limits.sh', ['100000']],
    ['quiet-perl.sh', []],
    ['harden.sh', ['1000', '', '', '', '']],
    ['count.sh', ['3', 'no', 'none', '5', '', '0']],
  ] as const)('%s passes on words, output and the exit code', (name, before) => {
    const words = ['a b', '', '*', "it's", '$HOME', '--'];
    const ran = run(name, [...before, '/bin/sh', '-c', 'printf "[%s]" "$@"; echo error >&2; exit 7', 'sh', ...words]);
    expect(ran).toMatchObject({ status: 7, stdout: words.map((word) => `[${word}]`).join(''), stderr: 'error\n' });
  });

  it('count.sh names what a command made in folders of any name, and what was there before not', () => {
    const names = ['plain', "it's", 'a b', '$HOME', '[x]*', 'back\\slash', '-n'];
    const folders = names.map((name) => join(folder, 'private', name));
    for (const place of folders) {
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, 'old'), '');
      writeFileSync(join(place, '.old'), '');
    }
    const home = folders[1] ?? '';
    const make = folders.flatMap((place) => [join(place, 'new'), join(place, '.hidden')]);
    const places = folders.map((place) => `${place}/`);
    const ran = run('count.sh', ['3', 'no', 'none', '99', `${home}/`, String(places.length), ...places, 'touch', ...make]);
    expect(ran).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(ran.lines.slice(0, 3)).toEqual(['0', '-', expect.stringMatching(/^\d+$/u)]);
    expect(ran.lines.slice(3).toSorted()).toEqual(make.filter((path) => path !== join(home, '.hidden')).toSorted());
    const most = run('count.sh', ['3', 'no', 'none', '2', '', String(places.length), ...places, 'touch', ...make.map((path) => `${path}2`)]);
    expect(most.lines.slice(3)).toHaveLength(2);
  });

  it('count.sh counts a place that is no folder only itself, and only if it is new', () => {
    const above = join(folder, 'single', '[x]* $HOME');
    mkdirSync(above, { recursive: true });
    writeFileSync(join(above, 'old'), '');
    const places = ['new', '.link', 'old', 'never', '*'].map((name) => join(above, name));
    const made = ['new', 'other', 'old'].map((name) => join(above, name));
    const command = ['/bin/sh', '-c', 'ln -s nowhere "$1"; shift; touch "$@"', 'sh', join(above, '.link'), ...made];
    expect(run('count.sh', ['3', 'no', 'none', '9', '', String(places.length), ...places, ...command]).lines.slice(3)).toEqual(places.slice(0, 2));
  });

  it('count.sh closes its descriptors in the command, and changes none of its variables', () => {
    const look = 'ls /proc/self/fd | tr "\\n" " "; env | sort | tr "\\n" " "';
    const env = { code: 'mine', left: 'mine', process: 'mine', stat: 'mine' };
    const plain = spawnSync('/bin/sh', ['-c', look], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], ...env },
    });
    const seen = (text: string): string[] => text.split(' ').filter((word) => !/^(?:_|OLDPWD|PWD|SHLVL)=/u.test(word));
    expect(seen(run('count.sh', ['3', 'yes', 'all', '5', '', '0', '/bin/sh', '-c', look], env).stdout)).toEqual(seen(plain.stdout));
  });

  it('hold.sh ends its command with the last owner, whatever the command ignores', async () => {
    const [life, exitFile] = [join(folder, 'life'), join(folder, 'exit')];
    expect(spawnSync('mkfifo', [life]).status).toBe(0);
    const words = shell === 'busybox' ? ['sh'] : [];
    const stubborn = 'trap "" TERM HUP INT; echo started; while :; do sleep 60; done';
    const child = spawn(shell, [...words, '-c', PROGRAMS['hold.sh'], 'sh', life, exitFile, '/bin/sh', '-c', stubborn], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    // Opens when the program reads.
    const owner = openSync(life, 'w');
    await once(child.stdout, 'data');
    closeSync(owner);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('hold.sh keeps the exit code of a command that ends by itself', () => {
    const [life, exitFile] = [join(folder, 'life'), join(folder, 'exit')];
    spawnSync('mkfifo', [life]);
    const owner = openSync(life, 'r+');
    const ran = run('hold.sh', [life, exitFile, '/bin/sh', '-c', 'exit 5']);
    closeSync(owner);
    expect([ran.status, ran.stderr, readFileSync(exitFile, 'utf8')]).toEqual([5, '', '5']);
  });

  it('harden.sh sets what it can, also where a limit is lower already', () => {
    const look = 'ulimit -c; ulimit -m; ulimit -t; ulimit -f; cat /proc/self/oom_score_adj';
    expect(run('harden.sh', ['123456', '', '4000000', '77', '88', '/bin/sh', '-c', look]).stdout.split('\n').slice(0, 5)).toEqual([
      '0',
      '123456',
      '77',
      '88',
      '500',
    ]);
    const nested = ['harden.sh', '5000', '', '4000000', '99', '88', '/bin/sh', '-c', look] as const;
    const inner = ['/bin/sh', '-c', PROGRAMS['harden.sh'], 'sh', ...nested.slice(1)];
    expect(run('harden.sh', ['123456', '', '4000000', '77', '88', ...inner])).toMatchObject({ status: 0, stderr: '' });
  });
});
