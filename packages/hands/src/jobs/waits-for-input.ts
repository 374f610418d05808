import { readFileSync, readlinkSync } from 'node:fs';
import type { ProcessEntry } from '../process/process-table.ts';

/** Number of the system call `read` (asm/unistd_64.h, asm-generic/unistd.h). */
const READ: Partial<Readonly<Record<NodeJS.Architecture, number>>> = { x64: 0, arm64: 63 };

/** The descriptor that a process is blocked reading from, by a line of `/proc/PID/syscall`; undefined where it does anything else. */
export function blockedOn(line: string, architecture: NodeJS.Architecture = process.arch): number | undefined {
  const [call, argument] = line.split(' ');
  return Number(call) === READ[architecture] && argument?.startsWith('0x') === true ? Number(argument) : undefined;
}

/** What a descriptor of a process is; undefined where that cannot be told. */
function target(pid: number, descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    // Ended, or closed.
    return undefined;
  }
}

/**
 * Whether one of these processes is blocked in the kernel, reading what the first of them has as its input, or a terminal.
 * A program that waits in an event loop is not found so.
 */
export function waitsForInput(processes: readonly ProcessEntry[]): boolean {
  const [first] = processes;
  const input = first === undefined ? undefined : target(first.pid, 0);
  return processes.some(({ pid }) => {
    let line: string;
    try {
      line = readFileSync(`/proc/${pid}/syscall`, 'latin1');
    } catch {
      // Ended, or the kernel does not tell.
      return false;
    }
    const descriptor = blockedOn(line);
    const read = descriptor === undefined ? undefined : target(pid, descriptor);
    return read !== undefined && (read === input || /^\/dev\/(?:pts\/\d+|tty)$/u.test(read));
  });
}
