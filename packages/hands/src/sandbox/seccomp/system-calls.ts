/** Architectures with known system call numbers. */
export const SECCOMP_ARCHITECTURES = ['x64', 'arm64'] as const;
export type SeccompArchitecture = (typeof SECCOMP_ARCHITECTURES)[number];

/**
 * The error of a refused call: `missing` makes programs use an older call, `denied` is an error that they report, `unsupported` says that
 * the file system has no such thing, which programs that copy files take for usual, and `no family` that there are no sockets of this kind.
 */
export type Refusal = 'missing' | 'denied' | 'unsupported' | 'no family';

interface RefusedCall {
  readonly name: string;
  /** Numbers on x86-64 (asm/unistd_64.h) and arm64 (asm-generic/unistd.h) of Linux 6.18; both never change. */
  readonly x64: number;
  readonly arm64: number;
  readonly refusal: Refusal;
}

const denied = (name: string, x64: number, arm64: number): RefusedCall => ({ name, x64, arm64, refusal: 'denied' });
const unsupported = (name: string, x64: number, arm64: number): RefusedCall => ({ name, x64, arm64, refusal: 'unsupported' });
const missing = (name: string, x64: number, arm64: number): RefusedCall => ({ name, x64, arm64, refusal: 'missing' });

/**
 * Calls that no build, test or debugger needs, and in which kernel vulnerabilities were found. Most require a capability that
 * commands do not have, so this is a second line of defense. `ptrace` is allowed, except on
 * {@link FIRST_PROCESS}: in its PID namespace a command only sees its own processes otherwise, and debuggers need it.
 */
export const REFUSED_CALLS: readonly RefusedCall[] = [
  // Keys of the user's session, which namespaces do not separate.
  denied('add_key', 248, 217),
  denied('request_key', 249, 218),
  denied('keyctl', 250, 219),
  // Takes an open file out of another process, even from the first one: a filter does not see whose handle it is.
  denied('pidfd_getfd', 438, 438),
  // Does what writing to /proc/self/attr does, which is read-only.
  denied('lsm_set_self_attr', 460, 460),
  // Programs and pages in the kernel, and its log.
  denied('bpf', 321, 280),
  denied('userfaultfd', 323, 282),
  denied('perf_event_open', 298, 241),
  denied('fanotify_init', 300, 262),
  denied('syslog', 103, 116),
  // Their operations bypass every system call filter. libuv and others work without them.
  missing('io_uring_setup', 425, 425),
  missing('io_uring_enter', 426, 426),
  missing('io_uring_register', 427, 427),
  // Its flags are in memory, where a filter cannot read them. The C libraries use clone instead.
  missing('clone3', 435, 435),
  // Mounts and namespaces: those of the sandbox already exist and must not change.
  denied('mount', 165, 40),
  denied('umount2', 166, 39),
  denied('pivot_root', 155, 41),
  denied('open_tree', 428, 428),
  denied('move_mount', 429, 429),
  denied('fsopen', 430, 430),
  denied('fsconfig', 431, 431),
  denied('fsmount', 432, 432),
  denied('fspick', 433, 433),
  denied('mount_setattr', 442, 442),
  denied('open_tree_attr', 467, 467),
  // Access lists would give others of this machine rights that no list of changes shows. The kernel still hands on those of a folder.
  unsupported('setxattr', 188, 5),
  unsupported('lsetxattr', 189, 6),
  unsupported('fsetxattr', 190, 7),
  unsupported('setxattrat', 463, 463),
  denied('setns', 308, 268),
  denied('open_by_handle_at', 304, 265),
  // The machine itself.
  denied('init_module', 175, 105),
  denied('finit_module', 313, 273),
  denied('delete_module', 176, 106),
  denied('kexec_load', 246, 104),
  denied('kexec_file_load', 320, 294),
  denied('reboot', 169, 142),
  denied('swapon', 167, 224),
  denied('swapoff', 168, 225),
  denied('acct', 163, 89),
  denied('quotactl', 179, 60),
  denied('quotactl_fd', 443, 443),
  denied('settimeofday', 164, 170),
  denied('clock_settime', 227, 112),
];

/** A call that is refused for some values of an argument. Several may be about the same call. */
export interface JudgedCall {
  readonly name: string;
  readonly x64: number;
  readonly arm64: number;
  /** Index of the argument, from 0. The kernel only uses its lower 32 bits for these calls. */
  readonly argument: number;
  /**
   * Refused if the argument equals a value (`value`), has a bit of one (`bits`), equals none of them (`others`), or is a command to a device or
   * a file system of one of these types (`type`).
   */
  readonly by: 'value' | 'bits' | 'others' | 'type';
  readonly values: readonly number[];
  /** Commands that are not refused with their type. */
  readonly except?: readonly number[];
  /** Default: `denied`. */
  readonly refusal?: Refusal;
}

/** New user namespaces (linux/sched.h): they grant every capability, and most kernel vulnerabilities were reachable from them. */
const CLONE_NEWUSER = 0x1000_0000;
/** Typing into a terminal, and pasting into a console (asm-generic/ioctls.h). */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/**
 * Types of commands to btrfs and bcachefs (linux/btrfs.h). A snapshot holds all files under new names, also those that are hidden by mounts or
 * rules for paths. Others make and delete folders beside the workspace, or make it read-only.
 */
const FILE_SYSTEM_TYPES = [0x94, 0xbc];
/** FICLONE, FICLONERANGE and FIDEDUPERANGE (linux/fs.h) have the type of btrfs. They take open files. */
const CLONES = [0x4004_9409, 0x4020_940d, 0xc018_9436];
/**
 * Makes a file unchangeable for good through a handle to read; sets how a folder is encrypted; adds and removes the keys of a file system: without
 * them, the home folder of the person is closed (linux/fsverity.h, linux/fscrypt.h).
 */
const SEALS = [0x4080_6685, 0x800c_6613, 0xc050_6617, 0xc040_6618, 0xc040_6619];
/**
 * Allowed socket families (linux/socket.h): AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Builds need no others, and some ignore
 * network namespaces: AF_VSOCK leads from a virtual machine to its host, whatever the network of the sandbox is.
 */
const SOCKET_FAMILIES = [1, 2, 10, 16];
const AF_UNIX = 1;
/**
 * The first process of the PID namespace is bubblewrap's. Its end ends all others, and it ends with the bubblewrap outside. A command that
 * could write to its memory or call as it would let it live on, unmarked: it and all others would then outlive their call unseen.
 */
const FIRST_PROCESS = 1;

export const JUDGED_CALLS: readonly JudgedCall[] = [
  { name: 'clone', x64: 56, arm64: 220, argument: 0, by: 'bits', values: [CLONE_NEWUSER] },
  { name: 'unshare', x64: 272, arm64: 97, argument: 0, by: 'bits', values: [CLONE_NEWUSER] },
  { name: 'ioctl', x64: 16, arm64: 29, argument: 1, by: 'value', values: [TIOCSTI, TIOCLINUX, ...SEALS] },
  { name: 'ioctl', x64: 16, arm64: 29, argument: 1, by: 'type', values: FILE_SYSTEM_TYPES, except: CLONES },
  { name: 'socket', x64: 41, arm64: 198, argument: 0, by: 'others', values: SOCKET_FAMILIES },
  // Some families make pairs of sockets, too.
  { name: 'socketpair', x64: 53, arm64: 199, argument: 0, by: 'others', values: [AF_UNIX] },
  { name: 'ptrace', x64: 101, arm64: 117, argument: 1, by: 'value', values: [FIRST_PROCESS] },
  { name: 'process_vm_writev', x64: 311, arm64: 271, argument: 0, by: 'value', values: [FIRST_PROCESS] },
  // Its mark is one of its limits.
  { name: 'prlimit64', x64: 302, arm64: 261, argument: 0, by: 'value', values: [FIRST_PROCESS] },
];

/** The same without Unix sockets: they have names by which others find them. Those of `socketpair` have none. */
export const CALLS_WITHOUT_NAMED_SOCKETS: readonly JudgedCall[] = JUDGED_CALLS.map((call) =>
  call.name === 'socket' ? { ...call, values: call.values.filter((family) => family !== AF_UNIX) } : call,
);

/** A processor without a call: no call has this number. */
const NONE = -1;
const SET_USER_ID = 0o4000;
const SET_GROUP_ID = 0o2000;
const creates = (name: string, x64: number, arm64: number, argument: number): JudgedCall => ({
  name,
  x64,
  arm64,
  argument,
  by: 'bits',
  values: [SET_USER_ID, SET_GROUP_ID],
});
const changesMode = (name: string, x64: number, arm64: number, argument: number): JudgedCall => ({
  ...creates(name, x64, arm64, argument),
  // Folders use the other bit, to pass on their group.
  values: [SET_USER_ID],
});

/**
 * The same without programs that run with the rights of their owner: another user who starts what a command left in the workspace
 * would have the rights of the person. On a copy they lose that when they are applied.
 */
export const CALLS_WITHOUT_SET_ID: readonly JudgedCall[] = [
  ...JUDGED_CALLS,
  changesMode('chmod', 90, NONE, 1),
  changesMode('fchmod', 91, 52, 1),
  changesMode('fchmodat', 268, 53, 2),
  changesMode('fchmodat2', 452, 452, 2),
  creates('open', 2, NONE, 2),
  creates('creat', 85, NONE, 1),
  creates('openat', 257, 56, 3),
  creates('mknod', 133, NONE, 1),
  creates('mknodat', 259, 33, 2),
  // Its mode is in memory, where a filter cannot read it. Programs use openat instead.
  { name: 'openat2', x64: 437, arm64: 437, argument: 0, by: 'others', values: [], refusal: 'missing' },
];
