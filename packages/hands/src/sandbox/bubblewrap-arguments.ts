/** What a mount puts at a path. */
export type Mount =
  /** The path, writable. */
  | { readonly kind: 'writable'; readonly path: string; readonly source?: string }
  /** The path, read-only. Optional: left out if it no longer exists. */
  | { readonly kind: 'read-only'; readonly path: string; readonly source?: string; readonly optional?: boolean }
  /** The path, read-only, unless a writable overlay is mounted. */
  | { readonly kind: 'cache'; readonly path: string; readonly source?: string | undefined }
  /** A symbolic link. */
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  /** An empty writable folder in memory, private to the command. Limited to `bytes`; default: `temporaryBytes` of the plan. */
  | { readonly kind: 'private'; readonly path: string; readonly bytes?: number }
  /** An empty folder that cannot be listed or entered. `link`: the name in the workspace because of which it is hidden. */
  | { readonly kind: 'masked-folder'; readonly path: string; readonly link?: string }
  /** A file that cannot be opened. */
  | { readonly kind: 'masked-file'; readonly path: string; readonly link?: string };

/** A sandbox with all paths resolved, as input for the arguments of bubblewrap. Paths without a mount are not visible. */
export interface SandboxPlan {
  /** In the order of mounting; a later mount covers an earlier one. */
  readonly mounts: readonly Mount[];
  /** `own`: only a loopback. `joined`: the network namespace of the parent, also only a loopback. `host`: everything this machine reaches. */
  readonly network: 'own' | 'joined' | 'host';
  readonly temporaryBytes: number;
  /** Variables in addition to those of the process runner. */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables of the process runner that are taken away. Default: none. */
  readonly unset?: readonly string[];
  /** The file descriptor of the seccomp filter for bubblewrap; undefined if there is no filter. */
  readonly filter?: number;
  /** The descriptor from which bubblewrap reads the maximum number of processes; undefined if something else limits it. */
  readonly pidMax?: number;
  /** Files to create from a descriptor, by absolute path, with a mode if not the usual one. Default: none. */
  readonly files?: ReadonlyArray<{ readonly descriptor: number; readonly path: string; readonly mode?: number }>;
  /** The user in the sandbox, if different from the user outside. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

const NAMESPACES = ['--unshare-user', '--disable-userns', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
// A session without the user's terminal: TIOCSTI cannot type into it. bubblewrap itself sets no_new_privs.
const LIFE = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];

/**
 * Read-only as a whole: below `/proc/sys` the kernel requires no capability of root, and `core_pattern` names a program that
 * runs outside, for the whole machine. In a user namespace bubblewrap leaves it writable.
 */
export function processTable(pidMax?: number): string[] {
  // Before it becomes read-only. bubblewrap itself is the first process of the PID namespace that it limits.
  const bound = pidMax === undefined ? [] : ['--file', String(pidMax), '/proc/sys/kernel/pid_max'];
  return ['--proc', '/proc', ...bound, '--remount-ro', '/proc'];
}

/** The arguments for one mount. */
export function mountArguments(mount: Mount, temporaryBytes: number): string[] {
  switch (mount.kind) {
    case 'writable':
      return ['--bind', mount.source ?? mount.path, mount.path];
    case 'read-only':
      return [mount.optional === true ? '--ro-bind-try' : '--ro-bind', mount.source ?? mount.path, mount.path];
    case 'cache':
      return mount.source === undefined ? ['--ro-bind-try', mount.path, mount.path] : ['--bind', mount.source, mount.path];
    case 'link':
      return ['--symlink', mount.target, mount.path];
    case 'private':
      return ['--size', String(mount.bytes ?? temporaryBytes), '--tmpfs', mount.path];
    case 'masked-folder':
      return ['--perms', '0000', '--size', '4096', '--tmpfs', mount.path, '--remount-ro', mount.path];
    case 'masked-file':
      // Devices on a bind mount cannot be opened.
      return ['--ro-bind', '/dev/null', mount.path];
    default:
      return mount satisfies never;
  }
}

/** The arguments of `bwrap` for a plan, without the command. */
export function bubblewrapArguments(plan: SandboxPlan): string[] {
  // The device folder is in memory too, without a limit. So only its shared memory is writable, with a limit.
  const shared = ['--size', String(Math.ceil(plan.temporaryBytes / 4)), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'];
  const base = ['--dev', '/dev', ...shared, ...processTable(plan.pidMax)];
  const user = plan.user === undefined ? [] : ['--uid', String(plan.user.uid), '--gid', String(plan.user.gid)];
  return [
    ...NAMESPACES,
    ...(plan.network === 'own' ? ['--unshare-net'] : []),
    ...user,
    ...LIFE,
    ...(plan.filter === undefined ? [] : ['--seccomp', String(plan.filter)]),
    ...base,
    ...plan.mounts.flatMap((mount) => mountArguments(mount, plan.temporaryBytes)),
    ...(plan.files ?? []).flatMap(({ descriptor, path, mode }) => [
      ...(mode === undefined ? [] : ['--perms', mode.toString(8).padStart(4, '0')]),
      '--file',
      String(descriptor),
      path,
    ]),
    // The root itself is empty and in memory: it only holds mount points.
    '--remount-ro',
    '/',
    ...(plan.unset ?? []).flatMap((name) => ['--unsetenv', name]),
    ...Object.entries(plan.environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/**
 * An outer sandbox around the real one: bubblewrap before 0.12 follows a link `-> /oldroot/…` in a mount target and creates
 * a missing target there, outside (CVE-2026-87766). Inside the outer sandbox the machine is read-only, so nothing can be created,
 * wherever the links lead and whenever they are swapped. The inner one is PID 1 there: when it ends, the kernel ends all others.
 */
function outerSandbox({ program, plan }: SandboxStart): string[] {
  const writable = plan.mounts.flatMap((mount) => {
    if (mount.kind === 'writable') return [mount.source ?? mount.path];
    return mount.kind === 'cache' && mount.source !== undefined ? [mount.source] : [];
  });
  const sources = writable.filter((path) => !writable.some((other) => path.startsWith(`${other}/`)));
  const life = ['--unshare-user', '--unshare-pid', '--as-pid-1', '--die-with-parent'];
  const outside = ['--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev', '--bind', '/proc', '/proc'];
  return [program, ...life, ...outside, ...sources.flatMap((path) => ['--bind', path, path]), '--'];
}

/** Whether a mount target is in a writable place, where a command that runs at the same time could replace it with a link. */
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
  /** Working directory, absolute. */
  readonly cwd: string;
  readonly plan: SandboxPlan;
}

/** The whole command line: `bwrap` with its arguments, then a command. It fails if the sandbox has no such working directory. */
export function sandboxArgv(start: SandboxStart, argv: readonly string[]): [string, ...string[]] {
  const { program, followsLinks, cwd, plan } = start;
  const [first, ...rest] = followsLinks && hasTargetInside(plan.mounts) ? outerSandbox(start) : [];
  const inner: [string, ...string[]] = [program, ...bubblewrapArguments(plan), '--chdir', cwd, '--', ...argv];
  return first === undefined ? inner : [first, ...rest, ...inner];
}
