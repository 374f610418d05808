import { totalmem } from 'node:os';

/** What one command may use. Each process of it inherits all of these, and none can raise them again. */
export interface ResourceLimits {
  /** Bytes of private writable memory of one process (RLIMIT_DATA): reserved but unused address space is free. */
  readonly memoryBytes: number;
  /** Processes and threads of the command. */
  readonly processes: number;
  /** Seconds of processor time of one process. */
  readonly cpuSeconds: number;
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of each private folder in memory, such as `/tmp`. */
  readonly temporaryBytes: number;
  /** The command is ended when less than this is left on the disk of the workspace, in bytes. */
  readonly keepFreeBytes: number;
}

const GIB = 2 ** 30;

/** Ample for builds and tests, short of what makes a machine stop answering. */
export const DEFAULT_RESOURCE_LIMITS: ResourceLimits = {
  memoryBytes: Math.min(8 * GIB, Math.floor(totalmem() * 0.75)),
  processes: 1_024,
  cpuSeconds: 3_600,
  fileBytes: 4 * GIB,
  temporaryBytes: Math.min(2 * GIB, Math.floor(totalmem() / 8)),
  keepFreeBytes: GIB,
};

/** Of a language server that stays: it shares the machine with what it is asked about. */
export const SERVER_LIMITS: Partial<ResourceLimits> = {
  memoryBytes: Math.min(4 * GIB, Math.floor(totalmem() / 2)),
  processes: 512,
  temporaryBytes: Math.min(GIB / 2, Math.floor(totalmem() / 16)),
};

// A limit that is lower already stays; the error says just that. RLIMIT_NPROC is -p in dash and busybox, -u in bash.
const APPLY = '{ ulimit -d "$1"; ulimit -t "$2"; ulimit -f "$3"; ulimit -p "$4" || ulimit -u "$4"; } 2>/dev/null; shift 4; exec "$@"';

/**
 * The command line that starts another one under limits. It must run inside the sandbox: there RLIMIT_NPROC
 * counts the processes of the sandbox and not all of the user.
 */
export function limitedArgv(argv: readonly string[], limits: ResourceLimits): string[] {
  // POSIX units of a shell: KiB, seconds, blocks of 512 bytes.
  const values = [limits.memoryBytes / 1024, limits.cpuSeconds, limits.fileBytes / 512, limits.processes];
  return ['/bin/sh', '-c', APPLY, 'sh', ...values.map((value) => String(Math.ceil(value))), ...argv];
}

/** The kernel allows no smaller table of processes (RESERVED_PIDS + 1). */
const MIN_PID_MAX = 301;

/** The `pid_max` that holds a sandbox to its number of processes. */
export const pidMax = ({ processes }: ResourceLimits): number => Math.max(MIN_PID_MAX, Math.ceil(processes));
