import { totalmem } from 'node:os';
import type { Argv } from '../launch/launch-steps.ts';
import { PROGRAMS } from '../launch/programs.ts';
import type { ProcessLimits } from '../process/hardening.ts';

/** Resource limits of one command. Each of its processes inherits them, and none can raise them. */
export interface ResourceLimits {
  /** Bytes of private writable memory of one process (RLIMIT_DATA). Reserved but unused address space does not count. */
  readonly memoryBytes: number;
  /** Bytes of memory of all its processes together, including its private folders. Only enforced if cgroup v2 is delegated. */
  readonly totalMemoryBytes: number;
  /** Maximum number of processes and threads of the command. */
  readonly processes: number;
  /** Seconds of processor time of one process. */
  readonly cpuSeconds: number;
  /** Maximum bytes of one file. */
  readonly fileBytes: number;
  /** Maximum bytes of each private folder in memory, such as `/tmp`. */
  readonly temporaryBytes: number;
  /** Minimum free bytes on the workspace's disk. Below it, the command is ended. */
  readonly keepFreeBytes: number;
  /** Minimum free bytes of memory on the machine. Below it, the command is ended. Limits many processes together. */
  readonly keepFreeMemoryBytes: number;
}

const GIB = 2 ** 30;

/** Enough for builds and tests, but not enough to make a machine unresponsive. */
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

/** Limits of a running language server, which shares the machine with the programs that it analyzes. */
export const SERVER_LIMITS: Partial<ResourceLimits> = {
  memoryBytes: Math.min(4 * GIB, Math.floor(totalmem() / 2)),
  totalMemoryBytes: Math.floor(totalmem() / 2),
  processes: 512,
  temporaryBytes: Math.min(GIB / 2, Math.floor(totalmem() / 16)),
};

/** The limits per process, in the units of a shell (POSIX): KiB, seconds, blocks of 512 bytes. */
export function processLimits({ memoryBytes, cpuSeconds, fileBytes }: ResourceLimits): ProcessLimits {
  return { memoryKib: Math.ceil(memoryBytes / 1024), cpuSeconds: Math.ceil(cpuSeconds), fileBlocks: Math.ceil(fileBytes / 512) };
}

/** Builds the command line that limits the processes of another one: see `limits.sh`. */
export const countedArgv = (argv: Argv, { processes }: ResourceLimits): Argv => [
  '/bin/sh',
  '-c',
  PROGRAMS['limits.sh'],
  'sh',
  String(Math.ceil(processes)),
  ...argv,
];
