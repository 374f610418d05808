/** Processors whose numbers of system calls are known here. */
export const SECCOMP_ARCHITECTURES = ['x64', 'arm64'] as const;
export type SeccompArchitecture = (typeof SECCOMP_ARCHITECTURES)[number];

/** How a refused call ends: `missing` makes programs take their older way, `denied` is what they report. */
export type Refusal = 'missing' | 'denied';

interface RefusedCall {
  readonly name: string;
  /** Numbers on x86-64 (asm/unistd_64.h) and arm64 (asm-generic/unistd.h) of Linux 6.18; both never change. */
  readonly x64: number;
  readonly arm64: number;
  readonly refusal: Refusal;
}

const denied = (name: string, x64: number, arm64: number): RefusedCall => ({ name, x64, arm64, refusal: 'denied' });
const missing = (name: string, x64: number, arm64: number): RefusedCall => ({ name, x64, arm64, refusal: 'missing' });

/**
 * What no build, test or debugger needs, and what holes in the kernel were found in. Most of it takes a capability that
 * commands do not have: there this is the second lock. `ptrace` is not among them: in a process namespace of its own a
 * command finds only its own processes, and debuggers work by it.
 */
export const REFUSED_CALLS: readonly RefusedCall[] = [
  // Keys of the person's session, which no namespace separates.
  denied('add_key', 248, 217),
  denied('request_key', 249, 218),
  denied('keyctl', 250, 219),
  // Programs and pages inside the kernel, and its log.
  denied('bpf', 321, 280),
  denied('userfaultfd', 323, 282),
  denied('perf_event_open', 298, 241),
  denied('syslog', 103, 116),
  // What these do escapes every filter of calls; libuv and others go on without.
  missing('io_uring_setup', 425, 425),
  missing('io_uring_enter', 426, 426),
  missing('io_uring_register', 427, 427),
  // Its flags lie in memory, where no filter can look: the C libraries take clone instead.
  missing('clone3', 435, 435),
  // Mounts and namespaces: those of the sandbox are made, and stay.
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
  denied('settimeofday', 164, 170),
  denied('clock_settime', 227, 112),
];

/** A call that is refused for some values of an argument. */
export interface JudgedCall {
  readonly name: string;
  readonly x64: number;
  readonly arm64: number;
  /** Which argument, from 0; its lower 32 bits are all that the kernel looks at for these. */
  readonly argument: number;
  /** Refused where it is one of these, where it has a bit of one of these, or where it is none of these. */
  readonly by: 'value' | 'bits' | 'others';
  readonly values: readonly number[];
}

/** New user namespaces (linux/sched.h): in them every capability is to be had, and most holes of the kernel were there. */
const CLONE_NEWUSER = 0x1000_0000;
/** Typing into a terminal, and pasting into a console (asm-generic/ioctls.h). */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/**
 * Kinds of sockets (linux/socket.h): AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. All else is not for builds, and some does not
 * know of network namespaces: AF_VSOCK leads from a virtual machine to its host, whatever the network of the sandbox is.
 */
const SOCKET_FAMILIES = [1, 2, 10, 16];

export const JUDGED_CALLS: readonly JudgedCall[] = [
  { name: 'clone', x64: 56, arm64: 220, argument: 0, by: 'bits', values: [CLONE_NEWUSER] },
  { name: 'unshare', x64: 272, arm64: 97, argument: 0, by: 'bits', values: [CLONE_NEWUSER] },
  { name: 'ioctl', x64: 16, arm64: 29, argument: 1, by: 'value', values: [TIOCSTI, TIOCLINUX] },
  { name: 'socket', x64: 41, arm64: 198, argument: 0, by: 'others', values: SOCKET_FAMILIES },
];
