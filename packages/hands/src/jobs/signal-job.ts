import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { isCommandShell } from '../process/command-shell.ts';
import type { ProcessEntry } from '../process/process-table.ts';
import { signalTree } from '../process/process-tree.ts';
import type { Job } from './job.ts';
import { isTerminal } from './terminal-command.ts';

/** Signals that a model may send. */
export const JOB_SIGNALS = ['INT', 'TERM', 'HUP', 'QUIT', 'USR1', 'USR2', 'WINCH', 'STOP', 'CONT'] as const;
export type JobSignal = (typeof JOB_SIGNALS)[number];

/** Signals that mean "end" or "halt" go to all processes, as from a terminal. Other signals would end a shell that only waits. */
const TO_ALL: ReadonlySet<JobSignal> = new Set(['INT', 'TERM', 'QUIT', 'STOP', 'CONT']);

/** Whether a process handles a signal, according to its `status` file (proc_pid_status(5)). */
export function handles(status: string, signal: JobSignal): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/mu.exec(status)?.[1];
  return caught !== undefined && ((BigInt(`0x${caught}`) >> BigInt(constants.signals[`SIG${signal}`] - 1)) & 1n) === 1n;
}

/**
 * Whether a process only runs the command and waits for it: the program that makes its terminal, which a signal would end together
 * with the terminal, or a shell that a signal other than those to all would end.
 */
function onlyWaits({ pid }: ProcessEntry, all: readonly ProcessEntry[], signal: JobSignal): boolean {
  if (!all.some(({ parent }) => parent === pid)) return false;
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    if (isTerminal(line)) return true;
    return !TO_ALL.has(signal) && isCommandShell(line) && !handles(readFileSync(`/proc/${pid}/status`, 'latin1'), signal);
  } catch {
    // The process has ended.
    return false;
  }
}

/** Sends a signal to the processes of a job. Returns how many there were. */
export function signalJob({ tree }: Job, signal: JobSignal): number {
  const all = tree?.list() ?? [];
  return signalTree(
    all.filter((entry) => !onlyWaits(entry, all, signal)),
    `SIG${signal}`,
  );
}
