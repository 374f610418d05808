import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { ProcessEntry } from '../process/process-table.ts';
import { signalTree } from '../process/process-tree.ts';
import type { Job } from './job.ts';

/** Signals that a model may send. */
export const JOB_SIGNALS = ['INT', 'TERM', 'HUP', 'QUIT', 'USR1', 'USR2', 'WINCH', 'STOP', 'CONT'] as const;
export type JobSignal = (typeof JOB_SIGNALS)[number];

/** Those that mean "end" or "halt" go to all, as from a terminal. The others would end a shell that only waits. */
const TO_ALL: ReadonlySet<JobSignal> = new Set(['INT', 'TERM', 'QUIT', 'STOP', 'CONT']);

/** Whether a process handles a signal, by its `status` (proc_pid_status(5)). */
export function handles(status: string, signal: JobSignal): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/mu.exec(status)?.[1];
  return caught !== undefined && ((BigInt(`0x${caught}`) >> BigInt(constants.signals[`SIG${signal}`] - 1)) & 1n) === 1n;
}

/** Whether a process is a shell that runs a command, waits for another one, and would end by a signal. */
function isWaitingShell({ pid }: ProcessEntry, all: readonly ProcessEntry[], signal: JobSignal): boolean {
  if (!all.some(({ parent }) => parent === pid)) return false;
  try {
    const isShell = readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('/bin/sh\0-c\0');
    return isShell && !handles(readFileSync(`/proc/${pid}/status`, 'latin1'), signal);
  } catch {
    // It ended.
    return false;
  }
}

/** Sends a signal to the processes of a job. Tells how many there were. */
export function signalJob({ tree }: Job, signal: JobSignal): number {
  const all = tree?.list() ?? [];
  return signalTree(TO_ALL.has(signal) ? all : all.filter((entry) => !isWaitingShell(entry, all, signal)), `SIG${signal}`);
}
