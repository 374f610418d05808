import { readFileSync, readlinkSync } from 'node:fs';
import type { ProcessEntry } from '../process/process-table.ts';

/** Number of the system call `read` (asm/unistd_64.h, asm-generic/unistd.h). */
const READ: Partial<Readonly<Record<NodeJS.Architecture, number>>> = { x64: 0, arm64: 63 };

/** Returns the descriptor on which a process is blocked in `read`, from a line of `/proc/PID/syscall`; undefined if it does anything else. */
export function blockedOn(line: string, architecture: NodeJS.Architecture = process.arch): number | undefined {
  const [call, argument] = line.split(' ');
  return Number(call) === READ[architecture] && argument?.startsWith('0x') === true ? Number(argument) : undefined;
}

/** Returns the target of a process's file descriptor; undefined if it cannot be read. */
function target(pid: number, descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    // The process has ended, or the descriptor was closed.
    return undefined;
  }
}

const TERMINAL = /^\/dev\/(?:pts\/\d+|tty)$/u;

/** Returns what a process is blocked on in `read`; undefined if it does anything else. */
function readsFrom({ pid }: ProcessEntry): string | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/syscall`, 'latin1');
  } catch {
    // The process has ended, or the kernel does not report the call.
    return undefined;
  }
  const descriptor = blockedOn(line);
  return descriptor === undefined ? undefined : target(pid, descriptor);
}

/**
 * Whether one of these processes is blocked in the kernel reading a terminal or the input of the first process. Does not
 * detect a program that waits in an event loop.
 */
export function waitsForInput(processes: readonly ProcessEntry[]): boolean {
  const [first] = processes;
  const input = first === undefined ? undefined : target(first.pid, 0);
  return processes.some((process) => {
    const read = readsFrom(process);
    return read !== undefined && (read === input || TERMINAL.test(read));
  });
}

/** The kernel function in which a process waits that opens a named pipe (fs/pipe.c). */
const OPENS_PIPE = 'wait_for_partner';

function isOpeningPipe({ pid }: ProcessEntry): boolean {
  try {
    return readFileSync(`/proc/${pid}/wchan`, 'latin1') === OPENS_PIPE;
  } catch {
    // The process has ended, or the kernel does not report it.
    return false;
  }
}

/** The processes that do something themselves: one with children waits for these. */
function leavesOf(processes: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const parents = new Set(processes.map(({ parent }) => parent));
  return processes.filter(({ pid }) => !parents.has(pid));
}

/** Whether all that happens among these processes is to wait for another one to open the other end of a named pipe. */
export function waitsForPipe(processes: readonly ProcessEntry[]): boolean {
  const leaves = leavesOf(processes);
  return leaves.length > 0 && leaves.every(isOpeningPipe);
}

/** Whether all that happens among these processes is to wait for keys of a terminal that one of them made. */
export function waitsForKeys(processes: readonly ProcessEntry[]): boolean {
  const leaves = leavesOf(processes);
  return leaves.length > 0 && leaves.every((process) => TERMINAL.test(readsFrom(process) ?? ''));
}
