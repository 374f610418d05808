import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryBubblewrap } from './try-bubblewrap.ts';
import { tryRun } from './try-run.ts';
import { findControlGroups } from './control-groups.ts';
import { findBubblewrap, type Bubblewrap } from './find-bubblewrap.ts';
import { systemProgram } from '../launch/system-program.ts';
import type { Repair } from './namespace-causes.ts';
import { tryPidMax } from './process-count.ts';
import { TOOL_CHAINS } from './sandbox-policy.ts';
import { machineMounts } from './view/machine-view.ts';

/** The result of one check of the sandbox, from a test run. */
export interface SandboxCheck {
  readonly name: 'sandbox' | 'landlock' | 'view' | 'dry runs' | 'limits' | 'launcher';
  readonly ok: boolean;
  readonly detail: string;
  /** What to install or set to make it work, or work better. */
  readonly fix?: string;
  /** A file that does so, where writing it opens nothing else. */
  readonly repair?: Repair;
}

/** What follows for commands where bubblewrap does not work. */
const INSTEAD = {
  landlock: 'commands run under Landlock instead, with its limits',
  none: 'commands are not sandboxed, so each needs your yes, and runs with your rights',
} as const;
const INSTALL = 'Debian, Ubuntu: apt install bubblewrap. Fedora: dnf install bubblewrap. Arch: pacman -S bubblewrap.';
const NAMESPACES_FIX =
  'Ubuntu 23.10 and newer: an AppArmor profile for /usr/bin/bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0. ' +
  'Containers: --security-opt seccomp=unconfined, or --privileged. Others: sysctl kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0.';
const OVERLAY_FIX = 'It takes Linux 5.11 or newer, util-linux, and a folder for temporary files on ext4, xfs, btrfs, or tmpfs from Linux 6.6 on.';
const SYSTEM_NAMES: Partial<Record<NodeJS.Platform, string>> = { win32: 'Windows' };

/** Where bubblewrap works, this is not used. */
async function checkLandlock(): Promise<SandboxCheck> {
  const name = 'landlock';
  const { findLandlock } = await import('./landlock/find-landlock.ts');
  const found = await findLandlock();
  if ('problem' in found)
    return {
      name,
      ok: false,
      detail: `${found.problem}, so it is no substitute for bubblewrap`,
      ...(found.fix === undefined ? {} : { fix: found.fix }),
    };
  const { landlockLacks } = await import('./landlock/lacks.ts');
  const lacks = landlockLacks(found.abi).join('; ');
  return { name, ok: true, detail: `Landlock (ABI ${found.abi}) works, and confines commands where bubblewrap does not work. Beside that: ${lacks}` };
}

/** On macOS. */
async function checkSeatbelt(fix: string): Promise<SandboxCheck> {
  const name = 'sandbox';
  const { findSeatbelt } = await import('./seatbelt/find-seatbelt.ts');
  const found = await findSeatbelt();
  if ('problem' in found) return { name, ok: false, detail: `${found.problem}: ${INSTEAD.none}`, fix };
  return { name, ok: true, detail: 'Seatbelt works in a trial, and confines commands. Synapse was not tested with it on a Mac' };
}

async function checkSandbox(bubblewrap: Bubblewrap, instead: keyof typeof INSTEAD): Promise<SandboxCheck> {
  const name = 'sandbox';
  const { version, followsLinks } = bubblewrap;
  const alone = await tryBubblewrap(bubblewrap, 'own');
  if (alone.worked) {
    const works = `bubblewrap ${version} works, and cuts commands off from the network`;
    if (!followsLinks) return { name, ok: true, detail: works };
    // Not a failure: the outer sandbox handles it.
    return {
      name,
      ok: true,
      detail: `${works}; before 0.12 its mounts follow links, so it runs inside a second sandbox`,
      fix: '0.12 or newer is faster.',
    };
  }
  const shared = await tryBubblewrap(bubblewrap, 'host');
  const cause = shared.worked ? `cannot cut commands off from the network: ${alone.message}` : `does not work here: ${shared.message}`;
  const then = instead === 'landlock' ? INSTEAD.landlock : 'no command runs until it does, or --sandbox none is said';
  const { namespaceCauses, namespaceFacts } = await import('./namespace-causes.ts');
  const causes = namespaceCauses(namespaceFacts(bubblewrap.program));
  const why = causes.map(({ says }) => says).join(', and ');
  const repair = causes.find((one) => one.repair !== undefined)?.repair;
  return {
    name,
    ok: false,
    detail: `bubblewrap ${version} ${cause}${why === '' ? '' : ` (${why})`}: ${then}`,
    fix: causes.length === 0 ? NAMESPACES_FIX : causes.map(({ fix }) => fix).join(' '),
    ...(repair === undefined ? {} : { repair }),
  };
}

async function checkDryRuns(): Promise<SandboxCheck> {
  const name = 'dry runs';
  const unshare = systemProgram('unshare');
  if (unshare === undefined) return { name, ok: false, detail: 'commands cannot be tried on a copy: there is no unshare', fix: OVERLAY_FIX };
  const folder = await mkdtemp(join(tmpdir(), 'synapse-probe-'));
  try {
    const script =
      'mkdir l u w m && mount -t overlay overlay -o lowerdir=l,upperdir=u,workdir=w,userxattr m && echo x > m/x && test -e u/x; r=$?; chmod 700 w/work; exit $r';
    const { worked, message } = await tryRun(unshare, ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', script], folder);
    return worked
      ? { name, ok: true, detail: 'commands can be tried on a copy of the workspace' }
      : { name, ok: false, detail: `commands cannot be tried on a copy: ${message}`, fix: OVERLAY_FIX };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkLimits({ program }: Bubblewrap): Promise<SandboxCheck> {
  const name = 'limits';
  const [table, groups] = await Promise.all([tryPidMax(program), findControlGroups()]);
  const memory =
    groups === undefined
      ? 'memory is bounded for each process, as no cgroup v2 is delegated'
      : 'memory is bounded for the whole command, by cgroup v2';
  // RLIMIT_NPROC applies to every user except root.
  if (table.worked || groups !== undefined || process.getuid?.() !== 0)
    return { name, ok: true, detail: `the number of processes is bounded; ${memory}` };
  return {
    name,
    ok: false,
    detail: `nothing bounds the number of processes of root (${table.message}); ${memory}`,
    fix: 'Run Synapse as an ordinary user, or where cgroup v2 is delegated.',
  };
}

async function checkLauncher(): Promise<SandboxCheck> {
  const { compiledLauncher, launcherProblem } = await import('../launch/compiled-launcher.ts');
  const name = 'launcher';
  if ((await compiledLauncher(undefined)) !== undefined)
    return { name, ok: true, detail: 'a compiled program starts commands, and scripts in a workspace that it is in' };
  const { problem, fix } = launcherProblem();
  return { name, ok: true, detail: `shells and perl start commands, some milliseconds later than a compiled program would: ${problem}`, fix };
}

/** Lists what commands see in addition to system programs and the workspace. */
function checkView(): SandboxCheck {
  const mounts = machineMounts({ tools: TOOL_CHAINS });
  const named = (kind: 'read-only' | 'cache'): string[] =>
    mounts.filter((mount) => mount.kind === kind && !/^\/(?:etc|sys|usr)(?:\/|$)/u.test(mount.path)).map(({ path }) => shortPath(path));
  const caches = named('cache');
  const seen = ['/usr', 'parts of /etc', ...named('read-only')].join(', ');
  return {
    name: 'view',
    ok: true,
    detail: `commands see the workspace, ${seen}${caches.length === 0 ? '' : `; the caches ${caches.join(', ')}`}; nothing else of this machine`,
    fix: '--readable FOLDER adds a folder.',
  };
}

const shortPath = (path: string): string => (path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path);

/**
 * Checks with test runs which parts of the sandbox work for this user on this machine.
 *
 * @example
 * for (const { name, ok, detail } of await probeSandbox()) console.log(ok ? 'ok' : 'no', name, detail);
 */
export async function probeSandbox(): Promise<SandboxCheck[]> {
  if (process.platform !== 'linux') {
    const system = SYSTEM_NAMES[process.platform] ?? process.platform;
    const fix = 'Work on Linux, in a container or a virtual machine, where commands are to run confined.';
    if (process.platform === 'darwin') return [await checkSeatbelt(fix)];
    return [{ name: 'sandbox', ok: false, detail: `there is no sandbox for ${system} yet: ${INSTEAD.none}`, fix }];
  }
  const [bubblewrap, landlock] = await Promise.all([findBubblewrap(), checkLandlock()]);
  const instead = landlock.ok ? 'landlock' : 'none';
  if (bubblewrap === undefined)
    return [{ name: 'sandbox', ok: false, detail: `bubblewrap is not installed: ${INSTEAD[instead]}`, fix: INSTALL }, landlock];
  if (!bubblewrap.usable) {
    const detail = `bubblewrap ${bubblewrap.version} is too old: ${INSTEAD[instead]}`;
    return [{ name: 'sandbox', ok: false, detail, fix: 'It takes 0.8 or newer.' }, landlock];
  }
  const sandbox = await checkSandbox(bubblewrap, instead);
  return [sandbox, landlock, checkView(), ...(await Promise.all([checkDryRuns(), checkLimits(bubblewrap), checkLauncher()]))];
}
