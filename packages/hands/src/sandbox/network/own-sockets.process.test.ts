import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryHands } from '../../testing/temporary-hands.ts';
import { SandboxBench, TEST_USERS } from '../../testing/sandbox-bench.ts';
import { openAnonymous } from '../run-files.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';
import { keptCallFilter } from '../seccomp/call-filter.ts';
import { ownSockets } from './own-sockets.ts';

const perl = (program: string): string => `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); ${program}'`;
const at = (name: string): string => `pack_sockaddr_un("\\0${name}")`;
const listen = (name: string): string => `bind(S, ${at(name)}) && listen(S, 5)`;
const reach = (name: string): string => `socket(T, AF_UNIX, SOCK_STREAM, 0); print connect(T, ${at(name)}) ? "reached" : "refused"`;
const SERVER = perl(`${listen('job')} or die; $| = 1; print "up\\n"; sleep 60`);

const bubblewrap = await findBubblewrap();
const LAUNCHERS = TEST_USERS.flatMap((user) => ['compiled', 'scripts'].map((launcher) => [user, launcher] as const));
const separates = (await ownSockets('joined', false, undefined)).wrap(['true']).length > 1;

describe.skipIf(bubblewrap === undefined)('abstract sockets', () => {
  it('of a job are not reached from a copy', async () => {
    await using place = await temporaryHands(
      { 'ask.sh': perl(reach('job')), 'alone.sh': perl(`${listen('a')}; ${reach('a')}`) },
      { sandbox: 'required' },
    );
    // Whose open files would outlive the judging of the copy.
    const started = await place.hands.call('run_command', { command: SERVER, background: true });
    const id = started.ok ? started.data.job?.id : undefined;
    expect(await place.hands.call('job', { action: 'wait', id, pattern: 'up' })).toMatchObject({
      ok: true,
      output: expect.stringMatching(/a line match(?:ed|es)/u) as string,
    });
    const run = async (command: string): Promise<unknown> => {
      const ran = await place.hands.call('run_command', { command });
      return ran.ok ? ran.data : ran.error;
    };
    expect(await run('sh ./ask.sh')).toMatchObject({ stdout: 'refused' });
    // Without a domain of the kernel, a copy beside a job has no such sockets at all.
    if (separates) expect(await run('sh ./alone.sh')).toMatchObject({ stdout: 'reached' });
    // What else a domain could forbid.
    expect(await run('mkdir a b && touch a/x && mv a/x b/y && cat b/y && echo moved')).toMatchObject({ stdout: 'moved\n' });
  });

  it.runIf(separates).each(LAUNCHERS)('of this machine are not reached with its network, as %s, by the launcher "%s"', async (user, launcher) => {
    vi.stubEnv('SYNAPSE_LAUNCHER', launcher);
    onTestFinished(() => void vi.unstubAllEnvs());
    await using bench = await SandboxBench.open(user, { policy: { network: 'on' } });
    const name = `synapse-${process.pid}-${user}-${launcher}`;
    const server = createServer((socket) => socket.on('error', () => {}).end()).listen(`\0${name}`);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    // The control, outside.
    expect((await bench.outsideOf(perl(reach(name)))).stdout).toBe('reached');
    expect((await bench.inside(perl(reach(name)))).stdout).toBe('refused');
    expect((await bench.inside(perl(`${listen('a')}; ${reach('a')}`))).stdout).toBe('reached');
    expect((await bench.inside('grep -c : /proc/net/dev')).stdout).toBe((await bench.outsideOf('grep -c : /proc/net/dev')).stdout);
    expect((await bench.inside('env | grep -c PERL')).stdout).toBe('0\n');
  });
});

it('where the kernel cannot keep them apart, only a copy beside a job has none', async () => {
  const without = async (network: 'joined' | 'host', isCopy: boolean): Promise<unknown> => {
    const { filter, wrap } = await ownSockets(network, isCopy, undefined, () => Promise.resolve(undefined));
    expect(wrap(['true'])).toEqual(['true']);
    return filter === keptCallFilter('without named sockets');
  };
  expect(await Promise.all([without('joined', true), without('joined', false), without('host', true)])).toEqual([true, false, false]);
});

it.skipIf(bubblewrap === undefined || keptCallFilter() === undefined)(
  'the filter for that refuses named sockets, and leaves pairs and addresses',
  () => {
    const run = (filter: 'usual' | 'without named sockets'): string => {
      using held = openAnonymous(keptCallFilter(filter) ?? 0);
      const tries = ['socket(A, AF_UNIX, SOCK_STREAM, 0)', 'socketpair(B, C, AF_UNIX, SOCK_STREAM, 0)', 'socket(D, AF_INET, SOCK_STREAM, 0)'];
      const program = tries.map((one) => `print ${one} ? 1 : 0;`).join(' ');
      const args = ['--ro-bind', '/', '/', '--dev', '/dev', '--seccomp', '3', 'perl', '-MSocket', '-e', program];
      return spawnSync(bubblewrap?.program ?? '', args, { stdio: ['ignore', 'pipe', 'inherit', held.descriptor] }).stdout.toString();
    };
    expect([run('usual'), run('without named sockets')]).toEqual(['111', '011']);
  },
);
