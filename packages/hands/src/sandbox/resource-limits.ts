import { totalmem } from 'node:os';
import type { ProcessLimits } from '../process/processes.ts';

/** What one command may use. Each process of it inherits all of these, and none can raise them again. */
export interface ResourceLimits {
  /** Bytes of private writable memory of one process (RLIMIT_DATA): reserved but unused address space is free. */
  readonly memoryBytes: number;
  /** Bytes of memory of all its processes together, with its private folders. Holds where cgroup v2 is delegated. */
  readonly totalMemoryBytes: number;
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
  /** The command is ended when less memory than this is left on the machine, in bytes. Bounds many processes together. */
  readonly keepFreeMemoryBytes: number;
}

const GIB = 2 ** 30;

/** Ample for builds and tests, short of what makes a machine stop answering. */
export const DEFAULT_RESOURCE_LIMITS: ResourceLimits = {
  memoryBytes: Math.min(8 * GIB, Math.floor(totalmem() * 0.75)),
  totalMemoryBytes: Math.floor(totalmem() * 0.75),
  processes: 1_024,
  cpuSeconds: 3_600,
  fileBytes: 4 * GIB,
  temporaryBytes: Math.min(2 * GIB, Math.floor(totalmem() / 8)),
  keepFreeBytes: GIB,
  keepFreeMemoryBytes: GIB,
};

/** Of a language server that stays: it shares the machine with what it is asked about. */
export const SERVER_LIMITS: Partial<ResourceLimits> = {
  memoryBytes: Math.min(4 * GIB, Math.floor(totalmem() / 2)),
  totalMemoryBytes: Math.floor(totalmem() / 2),
  processes: 512,
  temporaryBytes: Math.min(GIB / 2, Math.floor(totalmem() / 16)),
};

/** The limits that hold for each process, in the units of a shell (POSIX): KiB, seconds, blocks of 512 bytes. */
export function processLimits({ memoryBytes, cpuSeconds, fileBytes }: ResourceLimits): ProcessLimits {
  return { memoryKib: Math.ceil(memoryBytes / 1024), cpuSeconds: Math.ceil(cpuSeconds), fileBlocks: Math.ceil(fileBytes / 512) };
}

/**
 * The command line that starts another one under a limit of processes. It must run inside the sandbox: there
 * RLIMIT_NPROC counts the processes of the sandbox and not all of the user.
 */
export function countedArgv(argv: readonly string[], { processes }: ResourceLimits): string[] {
  const count = Math.ceil(processes);
  // RLIMIT_NPROC is -p in dash and busybox, -u in bash. The error of one goes nowhere: a redirection to /dev/null would
  // leave it out where that cannot be opened.
  return ['/bin/sh', '-c', `{ ulimit -p ${count} || ulimit -u ${count}; } 2>&-; exec "$@"`, 'sh', ...argv];
}
