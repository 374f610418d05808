import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SCRIPT_OPTIONS, sourceUrl } from '../../testing/run-script.ts';
import { SandboxBench, TEST_USERS } from '../../testing/sandbox-bench.ts';
import { compiledLauncher } from '../../launch/compiled-launcher.ts';
import { keepAnonymous, openAnonymous } from '../run-files.ts';
import { keptFilter } from '../seccomp/call-filter.ts';
import { CALLS_UNDER_LANDLOCK } from '../seccomp/landlock-calls.ts';
import { findLandlock } from './find-landlock.ts';
import { planText, SCOPES_ABI } from './landlock-plan.ts';

const launcher = await compiledLauncher(undefined);
const found = await findLandlock();
const works = !('problem' in found) && found.abi >= SCOPES_ABI;
const SETRLIMIT = process.arch === 'x64' ? 160 : 164;

/** Leaves its session and group, loses its variables and the limit that marks it, and tells its number. It ends by itself after ten minutes. */
const DAEMON = `
  exit if fork; syscall(${process.arch === 'x64' ? 112 : 157}); exit if fork; my $none = pack("QQ", 0, 0); syscall(${SETRLIMIT}, 5, $none);
  $SIG{$_} = "IGNORE" for qw(TERM INT HUP PWR); open my $f, ">", "src/pid"; print $f $$; close $f; close $_ for *STDIN, *STDOUT, *STDERR;
  %ENV = (); exec "/bin/sh", "-c", "exec sleep 600";`;
/** Is a new process every moment, and says so in a file. It ends by itself once there is another one. */
const CHAIN = `
  exit if fork; close $_ for *STDIN, *STDOUT, *STDERR; $0 = "chain-of-$ARGV[0]"; open my $f, ">", "src/pid"; print $f 1; close $f;
  for (1 .. 200000) { exit if fork; syscall(${process.arch === 'x64' ? 112 : 157}); exit if -e "src/stop"; if ($_ % 10 == 0) { open $f, ">>", "src/beat"; print $f "x"; close $f } }`;
const started = (program: string, ...args: string[]): string =>
  `perl -e '${program}' ${args.join(' ')}; while [ ! -s src/pid ]; do sleep 0.01; done; echo started`;
const FILES = { 'src/a': '' };

const runs = (pid: string): boolean => {
  try {
    return !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
// Where the launcher is not built, perl confines commands.
const LAUNCHERS = [...(launcher === undefined ? [] : ['compiled']), 'scripts'];

describe.each(LAUNCHERS)('by the launcher "%s"', (kind) => {
  beforeAll(() => void vi.stubEnv('SYNAPSE_LAUNCHER', kind));
  afterAll(() => void vi.unstubAllEnvs());

  describe.runIf(works).each(TEST_USERS)('the keeper of a command under Landlock, as %s', (user) => {
    const open = async (): Promise<SandboxBench> => await SandboxBench.open(user, { files: FILES, tier: 'landlock' });

    it('ends a process that left its session, its group, its variables and its mark', async () => {
      await using bench = await open();
      const { stdout, leftRunning } = await bench.inside(started(DAEMON));
      const pid = readFileSync(bench.at('src/pid'), 'utf8');
      expect([stdout, leftRunning, runs(pid)]).toEqual(['started\n', 1, false]);
      rmSync(bench.at('src/pid'));
      // The control: without a sandbox it runs on.
      await bench.outsideOf(started(DAEMON));
      const other = readFileSync(bench.at('src/pid'), 'utf8');
      expect(runs(other)).toBe(true);
      await bench.outsideOf(`kill -9 ${other}`);
    });

    it('ends one that starts others faster than they can be listed', async () => {
      await using bench = await open();
      const { stdout } = await bench.inside(started(CHAIN, 'a'));
      const beats = (): number => statSync(bench.at('src/beat'), { throwIfNoEntry: false })?.size ?? 0;
      const after = beats();
      spawnSync('sleep', ['1']);
      expect([stdout, beats()]).toEqual(['started\n', after]);
      rmSync(bench.at('src/pid'));
      // The control: it runs on after what started it has ended.
      spawnSync('sh', ['-c', started(CHAIN, 'b')], { cwd: bench.workspace });
      const before = beats();
      await expect.poll(beats).toBeGreaterThan(before);
      writeFileSync(bench.at('src/stop'), '');
    });

    it('ends all when the command is stopped, also if it does not listen', async () => {
      await using bench = await open();
      const stop = new AbortController();
      const { aborted } = await bench.inside(`${started(DAEMON)}; trap "" TERM; while :; do sleep 1; done`, {
        signal: stop.signal,
        onOutput: () => stop.abort(),
      });
      expect([aborted, runs(readFileSync(bench.at('src/pid'), 'utf8'))]).toEqual([true, false]);
    });

    it('counts itself what is left: the command has nothing to write to but its output', async () => {
      await using bench = await open();
      const { stdout, leftRunning } = await bench.inside('for f in 3 4 5 6 7 8 9; do if (echo 999 >&$f) 2>/dev/null; then echo wrote $f; fi; done');
      expect([stdout, leftRunning]).toEqual(['', 0]);
    });

    it.each([
      ['exit 3', { exitCode: 3, signal: null }],
      ['kill -9 $$', { exitCode: null, signal: 'SIGKILL' }],
      ['kill -TERM $$', { exitCode: null, signal: 'SIGTERM' }],
      ['kill -PWR $PPID; echo on', { exitCode: 0, signal: null, stdout: 'on\n' }],
      ['kill -9 $PPID; echo on', { exitCode: 0, signal: null, stdout: 'on\n' }],
      [`perl -e 'print syscall(${process.arch === 'x64' ? 101 : 117}, 0x4206, getppid, 0, 0)'`, { exitCode: 0, stdout: '-1' }],
      ['cat /proc/$PPID/environ | wc -c', { stdout: '0\n' }],
    ])('a command ends as it does elsewhere, and cannot reach it: %s', async (command, expected) => {
      await using bench = await open();
      expect(await bench.inside(command)).toMatchObject(expected);
    });
  });

  describe.runIf(works && process.features.typescript)('the keeper of a command under Landlock', () => {
    it('does not start it if Synapse ended before the keeper could hear of that', async () => {
      const asked = await findLandlock();
      if ('problem' in asked) throw new Error(asked.problem);
      const rules = [{ path: '/', rights: ['list', 'read'] as const }];
      const run = (parent: number): string => {
        const plan = planText({ abi: asked.abi, rules, network: false, processes: undefined, parent, environment: {} });
        using planned = openAnonymous(keepAnonymous(plan));
        using filter = openAnonymous(keptFilter(CALLS_UNDER_LANDLOCK) ?? 0);
        const [program, ...words] = asked.wrap(['/bin/echo', 'ran'], 3, 4, '/');
        const stdio = ['ignore', 'pipe', 'pipe', planned.descriptor, filter.descriptor] as const;
        const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', stdio: [...stdio] });
        return `${status} ${stdout}${stderr}`;
      };
      // Who has another parent lost the one of the plan.
      expect([run(process.pid), run(process.ppid)]).toEqual(['0 ran\n', '1 ']);
    });

    it('ends it when Synapse is killed', async () => {
      const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-keeper-')));
      mkdirSync(join(base, 'workspace/src'), { recursive: true });
      writeFileSync(join(base, 'workspace/daemon.sh'), `${started(DAEMON)}; sleep 60`);
      const script = `
      import { createHands } from ${sourceUrl('index.ts')};
      await using hands = await createHands({ workspace: ${JSON.stringify(join(base, 'workspace'))}, stateFolder: ${JSON.stringify(join(base, 'state'))},
        allow: ['exec', 'write'], sandbox: 'landlock', approver: { name: 'test', ask: async () => ({ verdict: 'allow', scope: 'once' }) } });
      await hands.call('run_command', { command: 'sh ./daemon.sh', live: true }).then((result) => console.log(JSON.stringify(result)));`;
      const child = spawn(process.execPath, [...SCRIPT_OPTIONS, script], {
        env: { PATH: process.env['PATH'], HOME: base, SYNAPSE_LAUNCHER: kind },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const place = join(base, 'workspace/src/pid');
      await expect.poll(() => existsSync(place) && readFileSync(place, 'utf8') !== '').toBe(true);
      const pid = readFileSync(place, 'utf8');
      expect(runs(pid)).toBe(true);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await expect.poll(() => runs(pid)).toBe(false);
    });
  });
});
