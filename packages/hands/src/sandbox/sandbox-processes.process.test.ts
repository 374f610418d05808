import { chmodSync, existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rename, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { SynapseError } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { noteBefore } from '../quarantine/command-records.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import { CHECKOUT_USERS, SandboxBench, TEST_USERS } from '../testing/sandbox-bench.ts';
import { sandboxArgv, type SandboxPlan } from './bubblewrap-arguments.ts';
import { findBubblewrap, readBubblewrap } from './find-bubblewrap.ts';
import { SandboxProcesses } from './sandbox-processes.ts';

const DEMONSTRATION = fileURLToPath(new URL('../testing/command-demonstration.ts', import.meta.url));
const bubblewrap = await findBubblewrap();

describe('without bubblewrap', () => {
  it.each([
    ['none', undefined],
    ['too old', readBubblewrap('/usr/bin/bwrap', 'bubblewrap 0.4.1\n')],
  ])('fails closed: %s', async (_, found) => {
    await using bench = bubblewrap === undefined ? undefined : await SandboxBench.open('user');
    if (bench === undefined) return;
    const options = { processes: bench.processes, confinement: bench.confinement, policy: {}, quarantineFolder: bench.state };
    const missing = found ?? { program: '/nowhere/bwrap', version: '0', followsLinks: true, usable: false };
    await expect(SandboxProcesses.open(options, missing)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe.skipIf(bubblewrap === undefined).each(TEST_USERS)('as %s', (user) => {
  it('runs where the handle leads, says so, and keeps what was written', async () => {
    await using bench = await SandboxBench.open(user, { files: { 'sub/a.txt': 'x' } });
    using cwd = bench.confinement.openDirectory(['sub']);
    await rename(bench.at('sub'), bench.at('moved'));
    await symlink('/etc', bench.at('sub'));
    const result = await bench.inside('cat a.txt; pwd; echo new > b.txt; exit 3', { cwd });
    expect(result).toMatchObject({
      exitCode: 3,
      sandbox: 'bubblewrap',
      stdout: `x${bench.at('moved')}\n`,
      survivors: 0,
      quarantined: [],
    });
    expect(readFileSync(bench.at('moved/b.txt'), 'utf8')).toBe('new\n');
  });

  /** Each must work outside, else its failure inside would prove nothing. */
  const denied: ReadonlyArray<readonly [string, (bench: SandboxBench, victim: number) => string]> = [
    ['F02 environment of another process', (_, victim) => `grep -q PATH /proc/${victim}/environ`],
    ['F16 memory of another process', (_, victim) => `head -c 0 /proc/${victim}/mem`],
    ['F16 signal to another process', (_, victim) => `kill -0 ${victim}`],
    ['F17 write outside', ({ outside }) => `echo x > ${outside}/f`],
    ['F17 write by a link', ({ outside }) => `ln -sfn ${outside} l && echo z > l/g`],
    ['F17 move outside', ({ outside }) => `touch m && mv m ${outside}/m`],
    ['F17 hard link to outside', ({ outside }) => `ln -f ${outside}/s.txt hard`],
    ['F20 secrets beside the workspace in /tmp', ({ outside }) => `cat ${outside}/s.txt`],
    ['F22 user namespace', () => 'unshare -Ur true'],
    ['F22 bubblewrap in bubblewrap', () => 'bwrap --ro-bind / / true'],
    ['network interfaces of the machine', () => 'test $(grep -c : /proc/net/dev) -gt 1'],
    [
      'System V memory of others',
      () => 'test -e /dev/shm && echo x > /proc/sys/kernel/../../self/comm && test "$(readlink /proc/self/ns/ipc)" = "$HOST_IPC"',
    ],
  ];

  it.each(denied)('denies: %s', async (_, command) => {
    await using bench = await SandboxBench.open(user, { environment: { HOST_IPC: readlinkSync('/proc/self/ns/ipc') } });
    using victim = bench.victim();
    const script = `(${command(bench, victim.pid)}) && echo worked || echo refused; echo end`;
    const result = await bench.inside(script);
    expect(result.stdout).toBe('refused\nend\n');
    expect(readdirSync(bench.outside)).toEqual(['s.txt']);
    expect((await bench.outsideOf(script)).stdout).toMatch(/worked\nend\n$/u);
  });

  it('F17 leaves nothing outside', async () => {
    await using bench = await SandboxBench.open(user);
    const name = `stays-${basename(bench.base)}`;
    const places = ['/tmp', '/var/tmp', bench.home].map((folder) => join(folder, name));
    // That it was written shows that it is a place of its own, and not that it cannot be written.
    const { stdout } = await bench.inside(
      `echo x > ${bench.outside}/f; mkdir -p ${bench.outside}/d; for at in ${places.join(' ')}; do echo x > $at && cat $at; done`,
    );
    expect(stdout).toBe('x\nx\nx\n');
    expect(readdirSync(bench.outside)).toEqual(['s.txt']);
    expect(places.filter((place) => existsSync(place))).toEqual([]);
  });

  it('F22 has no capabilities and can get none', async () => {
    await using bench = await SandboxBench.open(user);
    const { stdout } = await bench.inside(
      'grep -E "^(CapEff|CapPrm|CapBnd|CapAmb|NoNewPrivs)" /proc/self/status; mount -t tmpfs x /mnt 2>&1 || echo refused',
    );
    expect(stdout).toMatch(/CapPrm:\t0+\nCapEff:\t0+\nCapBnd:\t0+\nCapAmb:\t0+\nNoNewPrivs:\t1\n/u);
    expect(stdout).toContain('refused');
  });

  it('F22 cannot change the kernel: root may write many of its settings without any capability', async () => {
    await using bench = await SandboxBench.open(user);
    // access(2) by itself: nothing is written, also where it could be.
    const script = 'for f in $(find /proc /sys -type f 2>/dev/null | head -30000); do [ -w "$f" ] && echo "$f"; done; echo end';
    expect((await bench.inside(script)).stdout).toBe('end\n');
    expect((await bench.outsideOf('[ -w /proc/self/comm ] && echo control')).stdout).toBe('control\n');
  });

  it('F20 hides the home folder but for what is listed, and secrets of the system', async () => {
    await using bench = await SandboxBench.open(user);
    const { stdout } = await bench.inside(
      'ls -A ~; ls -A /home /root /run 2>/dev/null; cat /etc/shadow /etc/ssh/*key 2>/dev/null; test -r /etc/passwd && echo readable',
    );
    expect(stdout.replaceAll(/^\/(?:home|root|run):$/gmu, '').trim()).not.toMatch(/root:|BEGIN|ssh$/u);
    expect(stdout).toContain('readable');
  });

  it('F23 reaches no Unix socket of others, by path or abstract', async () => {
    await using bench = await SandboxBench.open(user);
    const path = bench.at('agent.sock');
    const abstract = `\0synapse-${process.pid}-${user}`;
    const servers = [path, abstract].map((address) => createServer((socket) => socket.on('error', () => {}).end()).listen(address));
    await Promise.all(servers.map((server) => new Promise((resolve) => void server.once('listening', resolve))));
    const script = (address: string): string =>
      `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); print connect(S,pack_sockaddr_un(${address})) ? "reached" : "refused"' 2>&1`;
    const named = script(`"${path}"`);
    const unnamed = script(`"\\0${abstract.slice(1)}"`);
    chmodSync(path, 0o777);
    for (const attempt of [named, unnamed]) {
      expect((await bench.outsideOf(attempt)).stdout).toBe('reached');
      expect((await bench.inside(attempt)).stdout).toBe('refused');
    }
    for (const server of servers) server.close();
  });

  it('F01 F34 gives no secret of the environment, and no core dump', async () => {
    await using bench = await SandboxBench.open(user);
    const { stdout } = await bench.inside('env; ulimit -c; ulimit -c unlimited 2>/dev/null || echo stays');
    expect(stdout).not.toMatch(/KEY|TOKEN|SSH_AUTH_SOCK|LD_DEBUG_OUTPUT|parent-secret/u);
    expect(stdout).toMatch(/^PATH=\//mu);
    expect(stdout).toMatch(/0\nstays\n$/u);
  });

  it('F13 has no terminal', async () => {
    await using bench = await SandboxBench.open(user);
    expect((await bench.inside('(: < /dev/tty) 2>/dev/null && echo terminal; echo end')).stdout).toBe('end\n');
  });

  it.each([
    ['a background job', (s: string) => `sleep ${s} &`],
    ['setsid', (s: string) => `setsid sleep ${s} &`],
    ['a double fork that ignores signals', (s: string) => `( ( trap '' TERM HUP INT; while :; do sleep ${s}; done ) & ) &`],
    ['nohup', (s: string) => `nohup sleep ${s} >/dev/null 2>&1 &`],
    ['a held pipe', (s: string) => `setsid sh -c 'sleep ${s}; echo late' &`],
  ])('F07 F08 F10 ends %s, at its end and when cancelled', async (_, command) => {
    await using bench = await SandboxBench.open(user);
    const seconds = `9${Math.floor(Math.random() * 1e9)}`;
    const ended = await bench.inside(`${command(seconds)}\necho done`);
    expect(ended).toMatchObject({ exitCode: 0, survivors: 0, stdout: 'done\n' });
    expect(running(seconds)).toEqual([]);
    const controller = new AbortController();
    const cancelled = await bench.inside(`${command(seconds)}\necho started; sleep ${seconds}`, {
      signal: controller.signal,
      onOutput: () => controller.abort(new SynapseError('cancelled', 'x')),
    });
    expect(cancelled).toMatchObject({ aborted: true, survivors: 0 });
    expect(running(seconds)).toEqual([]);
  });

  it('runs nothing where not all that is kept from it can be found', async () => {
    const many = 'mkdir ../outside/many; cd ../outside/many; seq 10001 | xargs touch; ln -s ../outside/many ../../workspace/far';
    await using open = await SandboxBench.open(user);
    await open.outsideOf(many);
    expect(await open.inside('echo ran')).toMatchObject({ stdout: 'ran\n' });
    await using bench = await SandboxBench.open(user, { policy: { deniesRead: () => false } });
    expect(await bench.inside('echo ran')).toMatchObject({ stdout: 'ran\n' });
    await bench.outsideOf(many);
    await expect(bench.inside('echo ran > ran')).rejects.toMatchObject({ code: 'too_large' });
    expect(existsSync(bench.at('ran'))).toBe(false);
  });

  it('runs nothing in another folder that has taken the place of the workspace', async () => {
    await using bench = await SandboxBench.open(user);
    await rename(bench.workspace, join(bench.base, 'elsewhere'));
    await mkdir(bench.workspace);
    await expect(bench.inside('echo ran')).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('replaced') as string });
  });

  it('tells a missing program and a failed set-up from a failed command', async () => {
    await using bench = await SandboxBench.open(user);
    await expect(bench.inside('', { argv: ['no-such-program-here'] })).rejects.toMatchObject({ code: 'unavailable' });
    expect(await bench.inside('exit 1')).toMatchObject({ exitCode: 1 });
    expect(await bench.inside('', { argv: ['/bin/sh', '-c', 'kill -SEGV $$'] })).toMatchObject({ exitCode: 139 });
  });

  it('a broken set-up is no result', async () => {
    await using bench = await SandboxBench.open(user, { policy: { writable: ['/no/such/folder'] } });
    await expect(bench.inside('echo x')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.skipIf(!CHECKOUT_USERS.includes(user))('F32 ends with Synapse, however that ends', { timeout: 60_000 }, async () => {
    await using bench = await SandboxBench.open(user);
    const seconds = `9${Math.floor(Math.random() * 1e9)}`;
    const as = user === 'user' && process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : ['env'];
    const command = `setsid sleep ${seconds} & echo started; sleep ${seconds}`;
    const [program, ...rest] = [
      ...as,
      process.execPath,
      '--conditions=synapse-source',
      DEMONSTRATION,
      bench.workspace,
      bench.state,
      'plain',
      command,
    ];
    const synapse = spawn(program, rest, { stdio: 'ignore', env: { ...process.env, HOME: bench.state } });
    await expect.poll(() => running(`sleep\0${seconds}`).length).toBe(2);
    synapse.kill('SIGKILL');
    await expect.poll(() => running(`sleep\0${seconds}`)).toEqual([]);
  });

  it.each([
    ['time to clean up when its own is over', new SynapseError('timeout', 'x'), ['cleaned']],
    ['none where it uses up what the machine has', new SynapseError('unavailable', 'x'), []],
  ])('gives a command %s', async (_, reason, left) => {
    await using bench = await SandboxBench.open(user);
    const controller = new AbortController();
    const result = await bench.inside(`trap ': > cleaned; exit' TERM; echo ready; while :; do sleep 0.1; done`, {
      signal: controller.signal,
      onOutput: () => controller.abort(reason),
    });
    expect(result).toMatchObject({ aborted: true, survivors: 0 });
    expect(readdirSync(bench.workspace)).toEqual(left);
  });

  it.each([
    ['of a process that is gone', '2147483000 1', ['found']],
    ['of a process that runs', processIdentity(), []],
  ])('tells once what was left by a command that was cut off: %s', async (_, owner, actions) => {
    await using bench = await SandboxBench.open(user, { files: { '.git/hooks/old': '', '.git/config': '' } });
    const folder = join(bench.state, 'quarantine');
    const known = statSync(bench.at('.git/hooks/old'));
    const stamp = `${known.ino}:${known.size}:${known.mtimeMs}:${known.ctimeMs}`;
    using _note = noteBefore(folder, [{ path: '.git/hooks/old', kind: 'order', stamp }], owner);
    writeFileSync(bench.at('.git/hooks/pre-commit'), 'evil');
    const { quarantined } = await bench.inside('true');
    expect(quarantined.map(({ path, action }) => ({ path, action }))).toEqual(actions.map((action) => ({ path: '.git/hooks/pre-commit', action })));
    expect(readFileSync(bench.at('.git/hooks/pre-commit'), 'utf8')).toBe('evil');
    expect((await bench.inside('true')).quarantined).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(actions.length === 0 ? 1 : 0);
  });

  it('a read-only workspace stays as it is', async () => {
    await using bench = await SandboxBench.open(user, { policy: { mode: 'server' }, files: { a: '1' } });
    expect((await bench.inside('cat a; echo 2 > a; echo 2 > b')).stdout).toBe('1');
    expect(readdirSync(bench.workspace)).toEqual(['a']);
  });

  it('F38 names no target below a link', async () => {
    await using bench = await SandboxBench.open(user, { policy: { deniesRead: (path) => path.endsWith('viaold') } });
    await symlink(`/oldroot${bench.outside}`, bench.at('olink'));
    expect(await bench.inside('echo ok')).toMatchObject({ stdout: 'ok\n' });
    expect(readdirSync(bench.outside)).toEqual(['s.txt']);
  });

  it.each(['olink/viaold', 'direct'])('F38 makes nothing outside where %s became a link after it was looked at', async (target) => {
    await using bench = await SandboxBench.open(user);
    await symlink(`/oldroot${bench.outside}`, bench.at('olink'));
    await symlink(`/oldroot${bench.outside}/viaold`, bench.at('direct'));
    const plan: SandboxPlan = {
      mounts: [
        { kind: 'writable', path: bench.workspace },
        { kind: 'masked-file', path: bench.at(target) },
      ],
      network: 'own',
      temporaryBytes: 4_096,
      environment: {},
    };
    const start = { program: bubblewrap?.program ?? '', cwd: bench.workspace, plan };
    await bench.outsideOf('', { argv: sandboxArgv({ ...start, followsLinks: true }, ['true']) });
    expect(readdirSync(bench.outside)).toEqual(['s.txt']);
    // The control: this bubblewrap alone, where it has the hole, does make it.
    await bench.outsideOf('', { argv: sandboxArgv({ ...start, followsLinks: false }, ['true']) });
    expect(readdirSync(bench.outside)).toEqual(bubblewrap?.followsLinks === true ? ['s.txt', 'viaold'] : ['s.txt']);
  });
});

/** Processes whose command line holds a text, but not this one. */
function running(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/u.test(pid) || pid === String(process.pid)) return false;
    try {
      return readFileSync(join('/proc', pid, 'cmdline'), 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}
