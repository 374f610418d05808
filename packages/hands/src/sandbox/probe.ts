import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapArguments, type SandboxPlan } from './bubblewrap-arguments.ts';
import { findBubblewrap, systemProgram, type Bubblewrap } from './find-bubblewrap.ts';
import { hasOwnPidMax } from './pid-limit.ts';

/** What can be probed. */
export const SANDBOX_CHECKS = ['platform', 'bubblewrap', 'version', 'namespaces', 'own-network', 'overlay', 'process-limit', 'memory-limit'] as const;
export type SandboxCheckName = (typeof SANDBOX_CHECKS)[number];

/** Whether something works here, as seen by running it. */
export interface SandboxCheck {
  readonly name: SandboxCheckName;
  /** `warn`: commands run confined, but less well. `fail`: no command runs in a sandbox, or dry runs do not work. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to install or to set. */
  readonly fix?: string;
}

interface Trial {
  readonly worked: boolean;
  readonly message: string;
}

/** Longer is no sandbox anybody would wait for. */
const TRIAL_MS = 10_000;

function attempt(program: string, args: readonly string[], cwd = '/'): Promise<Trial> {
  const { promise, resolve } = Promise.withResolvers<Trial>();
  execFile(program, args, { cwd, timeout: TRIAL_MS, env: { PATH: '/usr/bin:/bin' } }, (error, _stdout, stderr) => {
    resolve({ worked: error === null, message: stderr.trim().split('\n')[0] ?? '' });
  });
  return promise;
}

const INSTALL = 'Debian, Ubuntu: apt install bubblewrap. Fedora: dnf install bubblewrap. Arch: pacman -S bubblewrap.';
const NAMESPACES_FIX =
  'Ubuntu 23.10 and newer: an AppArmor profile for /usr/bin/bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0. ' +
  'Containers: --security-opt seccomp=unconfined, or --privileged. Others: sysctl kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0.';

const plan = (network: 'own' | 'host'): SandboxPlan => ({ mounts: [], network, temporaryBytes: 0, environment: {} });

async function namespaces({ program }: Bubblewrap): Promise<SandboxCheck[]> {
  const user = process.getuid?.() === 0 ? 'root' : 'this user';
  const shared = await attempt(program, [...bubblewrapArguments(plan('host')), '--', '/bin/sh', '-c', ':']);
  if (!shared.worked)
    return [{ name: 'namespaces', status: 'fail', detail: `bwrap does not work for ${user}: ${shared.message}`, fix: NAMESPACES_FIX }];
  const own = await attempt(program, [...bubblewrapArguments(plan('own')), '--', '/bin/sh', '-c', ':']);
  return [
    { name: 'namespaces', status: 'ok', detail: `user, pid, ipc and mount namespaces work for ${user}` },
    own.worked
      ? { name: 'own-network', status: 'ok', detail: 'commands can be cut off from the network' }
      : { name: 'own-network', status: 'fail', detail: `commands cannot be cut off from the network: ${own.message}`, fix: NAMESPACES_FIX },
  ];
}

async function overlay(): Promise<SandboxCheck> {
  const unshare = systemProgram('unshare');
  const fix = 'It takes Linux 5.11 or newer, util-linux, and a state folder on a disk with user.* attributes (ext4, xfs, btrfs, tmpfs from 6.6).';
  if (unshare === undefined) return { name: 'overlay', status: 'warn', detail: 'dry runs of commands are not possible: there is no unshare', fix };
  const folder = await mkdtemp(join(tmpdir(), 'synapse-probe-'));
  try {
    const script =
      'mkdir l u w m && mount -t overlay overlay -o lowerdir=l,upperdir=u,workdir=w,userxattr m && echo x > m/x && test -e u/x; r=$?; chmod 700 w/work; exit $r';
    const trial = await attempt(unshare, ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', script], folder);
    return trial.worked
      ? { name: 'overlay', status: 'ok', detail: 'dry runs of commands are possible' }
      : { name: 'overlay', status: 'warn', detail: `dry runs of commands are not possible: ${trial.message}`, fix };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The controllers handed to this process, where the machine has only cgroup v2. */
function delegatedControllers(): readonly string[] {
  try {
    const path = /^0::(?<path>\/.*)$/mu.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.groups?.['path'];
    return path === undefined
      ? []
      : readFileSync(join('/sys/fs/cgroup', path, 'cgroup.controllers'), 'utf8')
          .trim()
          .split(' ')
          .filter(Boolean);
  } catch {
    // No cgroup v2 there.
    return [];
  }
}

async function limits({ program }: Bubblewrap): Promise<SandboxCheck[]> {
  const memory: SandboxCheck = {
    name: 'memory-limit',
    status: 'warn',
    detail: `memory is bounded for each process, not for all of a command together (cgroup v2 controllers seen: ${delegatedControllers().join(', ') || 'none'})`,
    fix: 'Run Synapse in a systemd scope with MemoryMax=, or in a container with a memory limit.',
  };
  if (process.getuid?.() !== 0)
    return [{ name: 'process-limit', status: 'ok', detail: 'the number of processes is bounded by RLIMIT_NPROC in the sandbox' }, memory];
  const script = '[ $$ -lt 10 ] && echo 4000 > /proc/sys/kernel/pid_max && test "$(cat /proc/sys/kernel/pid_max)" = 4000';
  const trial = hasOwnPidMax()
    ? await attempt(program, [
        '--unshare-user',
        '--unshare-pid',
        '--cap-add',
        'ALL',
        '--ro-bind',
        '/',
        '/',
        '--bind',
        '/proc',
        '/proc',
        '/bin/sh',
        '-c',
        script,
      ])
    : { worked: false, message: 'that takes Linux 6.14' };
  return [
    trial.worked
      ? { name: 'process-limit', status: 'ok', detail: 'the number of processes of root is bounded by a pid namespace' }
      : {
          name: 'process-limit',
          status: 'warn',
          detail: `nothing bounds the number of processes of root: ${trial.message}`,
          fix: 'Run Synapse as an ordinary user.',
        },
    memory,
  ];
}

/** Finds out, by running it, what of the sandbox works for this user on this machine. */
export async function probeSandbox(): Promise<SandboxCheck[]> {
  if (process.platform !== 'linux') {
    return [
      {
        name: 'platform',
        status: 'fail',
        detail: `there is no sandbox for ${process.platform} yet: each command needs your yes, and runs with your rights`,
        fix: 'Work on Linux, in a container or a virtual machine, where commands are to run confined.',
      },
    ];
  }
  const bubblewrap = await findBubblewrap();
  if (bubblewrap === undefined) {
    return [
      {
        name: 'bubblewrap',
        status: 'fail',
        detail: 'bubblewrap is not installed: each command needs your yes, and runs with your rights',
        fix: INSTALL,
      },
    ];
  }
  const { program, version, usable, followsLinks } = bubblewrap;
  if (!usable) return [{ name: 'version', status: 'fail', detail: `bubblewrap ${version} is too old`, fix: 'It takes 0.8 or newer.' }];
  return [
    { name: 'bubblewrap', status: 'ok', detail: program },
    followsLinks
      ? {
          name: 'version',
          status: 'warn',
          detail: `bubblewrap ${version} follows links in mount targets (CVE-2026-87766); commands run in a second sandbox around it`,
          fix: '0.12 or newer is faster.',
        }
      : { name: 'version', status: 'ok', detail: version },
    ...(await namespaces(bubblewrap)),
    await overlay(),
    ...(await limits(bubblewrap)),
  ];
}
