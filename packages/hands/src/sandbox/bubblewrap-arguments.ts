/** What a mount puts in a place. */
export type Mount =
  /** The place as it is, writable. */
  | { readonly kind: 'writable'; readonly path: string; readonly source?: string }
  /** The place as it is, read-only. */
  | { readonly kind: 'read-only'; readonly path: string; readonly source?: string }
  /** An empty folder in memory, private to the command, which may be written; holds `bytes`, else those of the plan. */
  | { readonly kind: 'private'; readonly path: string; readonly bytes?: number }
  /** An empty folder that can neither be listed nor entered. */
  | { readonly kind: 'masked-folder'; readonly path: string }
  /** A file that cannot be opened. */
  | { readonly kind: 'masked-file'; readonly path: string };

/** A sandbox with every place resolved: what bubblewrap is told. */
export interface SandboxPlan {
  /** In the order in which they are made; a later one covers an earlier one. */
  readonly mounts: readonly Mount[];
  /** Own: only a loopback of its own. Joined: that of whoever starts the sandbox, which is none but a loopback either. Host: everything this machine reaches. */
  readonly network: 'own' | 'joined' | 'host';
  readonly temporaryBytes: number;
  /** Variables set beside those of the process runner. */
  readonly environment: Readonly<Record<string, string>>;
  /** The descriptor at which bubblewrap finds the filter of system calls; undefined where there is none. */
  readonly filter?: number;
  /** The descriptor at which bubblewrap finds how many processes there may be; undefined where something else bounds them. */
  readonly pidMax?: number;
  /** The user in the sandbox, where it is not the one outside. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

const NAMESPACES = ['--unshare-user', '--disable-userns', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
// A terminal of its own session: TIOCSTI cannot type into that of the person. bubblewrap itself sets no_new_privs.
const LIFE = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];

/**
 * Read-only as a whole: below `/proc/sys` the kernel asks root for no capability, and `core_pattern` names a program that
 * it runs outside, for the whole machine. bubblewrap leaves that writable in a user namespace.
 */
export function processTable(pidMax?: number): string[] {
  // Before nobody may write it any more; bubblewrap itself is the first process of the table that it bounds.
  const bound = pidMax === undefined ? [] : ['--file', String(pidMax), '/proc/sys/kernel/pid_max'];
  return ['--proc', '/proc', ...bound, '--remount-ro', '/proc'];
}

/** What makes one mount. */
export function mountArguments(mount: Mount, temporaryBytes: number): string[] {
  switch (mount.kind) {
    case 'writable':
      return ['--bind', mount.source ?? mount.path, mount.path];
    case 'read-only':
      return ['--ro-bind', mount.source ?? mount.path, mount.path];
    case 'private':
      return ['--size', String(mount.bytes ?? temporaryBytes), '--tmpfs', mount.path];
    case 'masked-folder':
      return ['--perms', '0000', '--size', '4096', '--tmpfs', mount.path, '--remount-ro', mount.path];
    case 'masked-file':
      // A bind permits no devices: opening it is refused.
      return ['--ro-bind', '/dev/null', mount.path];
    default:
      return mount satisfies never;
  }
}

/** The arguments of `bwrap` for a plan, up to and without the command. */
export function bubblewrapArguments(plan: SandboxPlan): string[] {
  // The folder of devices is memory too, and without limit: only the part for shared memory may be written, within one.
  const shared = ['--size', String(Math.ceil(plan.temporaryBytes / 4)), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'];
  const base = ['--ro-bind', '/', '/', '--dev', '/dev', ...shared, ...processTable(plan.pidMax)];
  const user = plan.user === undefined ? [] : ['--uid', String(plan.user.uid), '--gid', String(plan.user.gid)];
  return [
    ...NAMESPACES,
    ...(plan.network === 'own' ? ['--unshare-net'] : []),
    ...user,
    ...LIFE,
    ...(plan.filter === undefined ? [] : ['--seccomp', String(plan.filter)]),
    ...base,
    ...plan.mounts.flatMap((mount) => mountArguments(mount, plan.temporaryBytes)),
    ...Object.entries(plan.environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/**
 * A first sandbox around the second: bubblewrap before 0.12 follows a link `-> /oldroot/…` in a mount target and makes a
 * missing target there, outside (CVE-2026-87766). In here the outside is read-only, so nothing can be made, whatever the
 * links are and whenever they were swapped. The second is its first process, with which the kernel ends all others.
 */
function outerSandbox({ program, plan }: SandboxStart): string[] {
  const writable = plan.mounts.filter((mount) => mount.kind === 'writable').map((mount) => mount.source ?? mount.path);
  const sources = writable.filter((path) => !writable.some((other) => path.startsWith(`${other}/`)));
  const life = ['--unshare-user', '--unshare-pid', '--as-pid-1', '--die-with-parent'];
  const outside = ['--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev', '--bind', '/proc', '/proc'];
  return [program, ...life, ...outside, ...sources.flatMap((path) => ['--bind', path, path]), '--'];
}

/** Whether a mount target lies in a writable place, where a command that runs at the same time could make it a link. */
export function hasTargetInside(mounts: readonly Mount[]): boolean {
  const writable = mounts.filter((mount) => mount.kind === 'writable').map((mount) => `${mount.path}/`);
  return mounts.some(({ path }) => writable.some((place) => path.startsWith(place)));
}

/** How to start a command in a sandbox. */
export interface SandboxStart {
  /** Path of `bwrap`. */
  readonly program: string;
  /** Whether this `bwrap` follows links in mount targets. */
  readonly followsLinks: boolean;
  /** Absolute. */
  readonly cwd: string;
  readonly plan: SandboxPlan;
}

/** The whole command line of `bwrap` around another one. It fails where the sandbox has no such working directory. */
export function sandboxArgv(start: SandboxStart, argv: readonly string[]): [string, ...string[]] {
  const { program, followsLinks, cwd, plan } = start;
  const [first, ...rest] = followsLinks && hasTargetInside(plan.mounts) ? outerSandbox(start) : [];
  const inner: [string, ...string[]] = [program, ...bubblewrapArguments(plan), '--chdir', cwd, '--', ...argv];
  return first === undefined ? inner : [first, ...rest, ...inner];
}
