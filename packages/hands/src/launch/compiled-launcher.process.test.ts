import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { compiledLauncher, launcherFile, launcherProblem } from './compiled-launcher.ts';
import { PROGRAMS } from './programs.ts';

const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).error === undefined;
const launcher = await compiledLauncher(undefined);
const program = launcher?.program ?? '';

let folder: string;
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-launcher-')))));

it.runIf(hasCompiler)('is built where there is a compiler', () => expect(launcher?.program).toBe(realpathSync(launcherFile())));

it('is not used if the variable says so', async () => {
  vi.stubEnv('SYNAPSE_LAUNCHER', 'scripts');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect([await compiledLauncher(undefined), launcherProblem().problem]).toEqual([undefined, 'SYNAPSE_LAUNCHER says so']);
});

it('says why there is none', () => {
  expect(launcherProblem(join(folder, 'missing')).problem).toMatch(/^this build has none for /u);
  expect(launcherProblem('/bin/sh').problem).toMatch(/^the one of this build does not run here/u);
});

/** Starts a command with the words of a step. */
function run(argv: readonly string[], cwd = '/') {
  const [name = '', ...words] = argv;
  const { status, stdout, stderr } = spawnSync(name, words, { cwd, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  return { status, stdout, stderr };
}

describe.runIf(launcher !== undefined)('the compiled launcher', () => {
  const harden = (words: readonly string[], command: readonly string[]): string[] => [program, 'harden', ...words, ...command];
  const byShell = (words: readonly string[], command: readonly string[]): string[] => [
    '/bin/sh',
    '-c',
    PROGRAMS['harden.sh'],
    'sh',
    ...words,
    ...command,
  ];

  it('is not used if it is in the workspace, also through a link', async () => {
    const linked = join(folder, 'linked');
    symlinkSync(program, linked);
    expect(await compiledLauncher(dirname(program), linked)).toBeUndefined();
    expect(await compiledLauncher('/', linked)).toBeUndefined();
    expect((await compiledLauncher(`${dirname(program)}-other`, linked))?.program).toBe(program);
    expect((await compiledLauncher(folder, linked))?.program).toBe(program);
  });

  it('is not executed if it is in the workspace, also not to try it', async () => {
    const [planted, sign] = [join(folder, 'launcher'), join(folder, 'executed')];
    writeFileSync(planted, `#!/bin/sh\ntouch ${sign}\n`, { mode: 0o755 });
    expect([await compiledLauncher(folder, planted), existsSync(sign)]).toEqual([undefined, false]);
    // The control.
    expect([await compiledLauncher(undefined, planted), existsSync(sign)]).toEqual([undefined, true]);
  });

  it.each([
    ['missing', () => {}],
    ['not executable', (file: string) => writeFileSync(file, '')],
    ['of another version', (file: string) => writeFileSync(file, '#!/bin/sh\necho 0123456789abcdef\n', { mode: 0o755 })],
    ['one that fails', (file: string) => writeFileSync(file, '#!/bin/sh\nexit 1\n', { mode: 0o755 })],
    ['one for another machine', (file: string) => writeFileSync(file, '\x7fELF\x02\x01\x01', { mode: 0o755 })],
  ])('is not used if it is %s', async (_, make) => {
    const file = join(folder, 'launcher');
    make(file);
    expect(await compiledLauncher(undefined, file)).toBeUndefined();
  });

  it('passes on words, output, the working directory and the exit code', () => {
    const words = ['a b', '', '*', "it's", '$HOME', '--', 'harden'];
    const command = ['/bin/sh', '-c', 'pwd; printf "[%s]" "$@"; echo error >&2; exit 7', 'sh', ...words];
    const ran = run(harden(['1000', '', '', '', ''], command), folder);
    expect(ran).toEqual({ status: 7, stdout: `${folder}\n${words.map((word) => `[${word}]`).join('')}`, stderr: 'error\n' });
  });

  const LOOK = ['/bin/sh', '-c', 'cat /proc/self/limits /proc/self/oom_score_adj; ls /proc/self/fd | tr "\\n" " "'] as const;
  it.each([
    ['a tag', ['123456', '', '', '', '']],
    ['limits', ['123456', '', '4000000', '77', '88']],
    ['a control group that is missing', ['123456', '/missing/cgroup.procs', '', '', '']],
    ['a large tag', ['8789062499999999', '', '8388608', '3600', '8388608']],
  ])('hardens like the shell: %s', (_, words) => {
    const [compiled, shell] = [run(harden(words, LOOK)), run(byShell(words, LOOK))];
    expect(compiled).toEqual(shell);
    expect(compiled.stdout).toMatch(/^Max core file size +0 +0 /mu);
    // The file that it names.
    expect(compiled.stdout).toMatch(/^500$/mu);
  });

  it('leaves a limit that is lower already', () => {
    const inner = harden(['5000', '', '4000000', '99', '88'], LOOK);
    const user = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups', '--'] : [];
    const low = ['/bin/sh', '-c', 'ulimit -t 50; ulimit -f 60; exec "$@"', 'sh', ...user];
    // Others may not reach the checkout.
    copyFileSync(program, join(folder, 'launcher'));
    spawnSync('chmod', ['-R', 'a+rX', folder]);
    const ran = run([...low, join(folder, 'launcher'), ...inner.slice(1)]);
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^Max cpu time +50 +50 /mu);
    expect(ran.stdout).toMatch(/^Max file size +30720 +30720 /mu);
  });

  it('writes to the control group', () => {
    const door = join(folder, 'cgroup.procs');
    writeFileSync(door, '');
    expect(run(harden(['1000', door, '', '', ''], ['/bin/true'])).status).toBe(0);
    expect(readFileSync(door, 'utf8')).toBe('0');
  });

  it('takes several steps in one process', () => {
    const step = (tag: string, rest: readonly string[]): string[] => harden([tag, '', '', '', ''], rest);
    const ran = run(step('9999999', step('8888888', ['/bin/sh', '-c', 'ulimit -m; echo $PPID'])));
    expect(ran).toMatchObject({ status: 0, stdout: `8888888\n${process.pid}\n` });
  });

  it.each([
    ['a program that is missing', ['/missing'], 127],
    ['a file that is no program', ['/etc/passwd'], 126],
    ['a folder', ['/etc'], 126],
  ])('ends like a shell with %s', (_, command, status) => {
    const words = ['1000', '', '', '', ''];
    expect([run(harden(words, command)).status, run(byShell(words, command)).status]).toEqual([status, status]);
    expect(run(harden(words, command)).stderr).toContain(command[0]);
  });

  it.each([[[]], [['unknown', 'true']], [['harden', '1', '', '', '', '']], [['landlock', '1', '2', '3', '/']], [['copy', 'area']], [['sockets']]])(
    'refuses %j',
    (words) => {
      expect(run([program, ...words])).toEqual({ status: 2, stdout: '', stderr: 'synapse-launcher: usage: launcher STEP WORD... COMMAND...\n' });
    },
  );

  it('says that no copy could be mounted, and runs nothing', () => {
    const area = join(folder, 'area');
    mkdirSync(area);
    const ran = run([program, 'copy', area, '/bin/sh', '-c', `echo ran`]);
    expect([ran, readFileSync(join(area, 'failed'), 'utf8')]).toEqual([{ status: 1, stdout: '', stderr: '' }, '']);
  });
});
