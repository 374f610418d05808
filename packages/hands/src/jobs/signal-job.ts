import { readFileSync } from 'node:fs';
import type { ProcessEntry } from '../process/process-table.ts';
import { signalTree } from '../process/process-tree.ts';
import type { Job } from './job.ts';

/** Signals that a model may send. */
export const JOB_SIGNALS = ['INT', 'TERM', 'HUP', 'QUIT', 'USR1', 'USR2', 'WINCH', 'STOP', 'CONT'] as const;
export type JobSignal = (typeof JOB_SIGNALS)[number];

/** Those that mean "end" or "halt" go to all, as from a terminal. The others would end a shell that only waits. */
const TO_ALL: ReadonlySet<JobSignal> = new Set(['INT', 'TERM', 'QUIT', 'STOP', 'CONT']);

/** Whether a process is the shell that runs the command, and waits for another one. */
function isWaitingShell({ pid }: ProcessEntry, all: readonly ProcessEntry[]): boolean {
  if (!all.some(({ parent }) => parent === pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('/bin/sh\0-c\0');
  } catch {
    // It ended.
    return false;
  }
}

/** Sends a signal to the processes of a job. Tells how many there were. */
export function signalJob({ tree }: Job, signal: JobSignal): number {
  const all = tree?.list() ?? [];
  return signalTree(TO_ALL.has(signal) ? all : all.filter((entry) => !isWaitingShell(entry, all)), `SIG${signal}`);
}
