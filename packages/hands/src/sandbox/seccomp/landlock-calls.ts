import { CALLS_WITHOUT_SET_ID, type JudgedCall } from './system-calls.ts';

// Loaded only where commands are confined by Landlock. They share namespaces with all other processes of the machine.

/** A call that is refused whatever its arguments are. */
const never = (name: string, x64: number, arm64: number): JudgedCall => ({ name, x64, arm64, argument: 0, by: 'others', values: [] });
const unsupported = (name: string, x64: number, arm64: number): JudgedCall => ({ ...never(name, x64, arm64), refusal: 'unsupported' });
const only = (name: string, x64: number, arm64: number, argument: number, values: readonly number[]): JudgedCall => ({
  name,
  x64,
  arm64,
  argument,
  by: 'others',
  values,
});

/** All namespaces that clone can make (linux/sched.h). */
const NEW_NAMESPACES = 0x7e02_0000;
/** Of unshare also those of time. */
const NEW_TIME = 0x80;
/** Socket families and types (linux/socket.h, linux/net.h), and the bits that may be added to a type. */
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const STREAMS = [1, 5];
const TYPE_BITS = [0, 0x800, 0x8_0000, 0x8_0800];
const ITSELF = 0;
/** Kinds of targets (linux/resource.h, linux/ioprio.h): a process. The others are groups and users. */
const PRIO_PROCESS = 0;
const IOPRIO_WHO_PROCESS = 1;
/** The limit that marks the processes of a command, and that can be lowered (asm-generic/resource.h). */
const RLIMIT_RSS = 5;
const NETLINK_ROUTE = 0;

/** Calls that reach other processes of the same user. In a PID namespace there are none. */
const ON_OTHERS: readonly JudgedCall[] = [
  never('ptrace', 101, 117),
  never('process_vm_readv', 310, 270),
  never('process_vm_writev', 311, 271),
  never('kcmp', 312, 272),
  // Each process may set its own limits, and those of no other.
  only('prlimit64', 302, 261, 0, [ITSELF]),
  { name: 'prlimit64', x64: 302, arm64: 261, argument: 1, by: 'value', values: [RLIMIT_RSS] },
  { name: 'setrlimit', x64: 160, arm64: 164, argument: 0, by: 'value', values: [RLIMIT_RSS] },
  // The priority and the processors of others, such as Synapse.
  only('setpriority', 141, 140, 0, [PRIO_PROCESS]),
  only('setpriority', 141, 140, 1, [ITSELF]),
  only('ioprio_set', 251, 30, 0, [IOPRIO_WHO_PROCESS]),
  only('ioprio_set', 251, 30, 1, [ITSELF]),
  only('sched_setaffinity', 203, 122, 0, [ITSELF]),
  only('sched_setscheduler', 144, 119, 0, [ITSELF]),
  only('sched_setparam', 142, 118, 0, [ITSELF]),
  only('sched_setattr', 314, 274, 0, [ITSELF]),
  // Memory, semaphores and messages that others find by name: an IPC namespace has its own.
  never('shmget', 29, 194),
  never('shmat', 30, 196),
  never('shmctl', 31, 195),
  never('semget', 64, 190),
  never('semop', 65, 193),
  never('semtimedop', 220, 192),
  never('semctl', 66, 191),
  never('msgget', 68, 186),
  never('msgsnd', 69, 189),
  never('msgrcv', 70, 188),
  never('msgctl', 71, 187),
  never('mq_open', 240, 180),
  never('mq_unlink', 241, 181),
];

/** Commands that set the flags, the version and the project of a file through a handle to read (linux/fs.h). */
const SET_FLAGS = [0x4008_6602, 0x4004_6602, 0x4008_7602, 0x4004_7602, 0x401c_5820];

/** Landlock does not judge the attributes of files: they would be read, changed and removed outside the workspace, too. */
const ON_ATTRIBUTES: readonly JudgedCall[] = [
  unsupported('getxattr', 191, 8),
  unsupported('lgetxattr', 192, 9),
  unsupported('fgetxattr', 193, 10),
  unsupported('listxattr', 194, 11),
  unsupported('llistxattr', 195, 12),
  unsupported('flistxattr', 196, 13),
  unsupported('removexattr', 197, 14),
  unsupported('lremovexattr', 198, 15),
  unsupported('fremovexattr', 199, 16),
  unsupported('getxattrat', 464, 464),
  unsupported('listxattrat', 465, 465),
  unsupported('removexattrat', 466, 466),
  unsupported('file_getattr', 468, 468),
  unsupported('file_setattr', 469, 469),
  { name: 'ioctl', x64: 16, arm64: 29, argument: 1, by: 'value', values: SET_FLAGS, refusal: 'unsupported' },
];

const REPLACED = new Set(['clone', 'unshare', 'socket', ...ON_OTHERS.map(({ name }) => name)]);

/**
 * Landlock does not look at connections to a Unix socket by path, such as that of Docker or systemd, which would run anything. So there are
 * none but pairs, which have no name. A pair of datagram sockets can still send to a name. Netlink tells programs about interfaces; its other
 * protocols would tell about the connections of the whole machine.
 */
const calls = (families: readonly number[]): readonly JudgedCall[] => [
  ...CALLS_WITHOUT_SET_ID.filter(({ name }) => !REPLACED.has(name)),
  { name: 'clone', x64: 56, arm64: 220, argument: 0, by: 'bits', values: [NEW_NAMESPACES] },
  { name: 'unshare', x64: 272, arm64: 97, argument: 0, by: 'bits', values: [NEW_NAMESPACES | NEW_TIME] },
  { ...only('socket', 41, 198, 0, families), refusal: 'no family' },
  only(
    'socketpair',
    53,
    199,
    1,
    STREAMS.flatMap((type) => TYPE_BITS.map((bits) => type | bits)),
  ),
  ...ON_OTHERS,
  ...ON_ATTRIBUTES,
];

/** For a command without network. Landlock judges only connections by TCP, so there are no sockets for the network at all. */
export const CALLS_UNDER_LANDLOCK: readonly JudgedCall[] = [...calls([AF_NETLINK]), only('socket', 41, 198, 2, [NETLINK_ROUTE])];
export const CALLS_UNDER_LANDLOCK_WITH_NETWORK = calls([AF_INET, AF_INET6, AF_NETLINK]);
