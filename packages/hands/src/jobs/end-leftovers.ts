import { readFileSync } from 'node:fs';
import { endTree, runningTree } from '../process/process-tree.ts';
import { isRunning } from '../workspace/process-identity.ts';
import { readRecords, writeRecord, type JobRecord } from './job-record.ts';

/** A name of this start of the machine: after another one the numbers of processes mean others. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    // Not Linux.
    return '';
  }
}

/** Ends what still runs of a job. Its first process is known by number and start time, all others by a mark of their own. */
async function endProcesses({ process, boot }: JobRecord): Promise<boolean> {
  if (process === null || boot !== bootId()) return false;
  const root = { pid: process.pid, startTime: process.start_time, mark: process.mark };
  const found = runningTree(root);
  if (found.length === 0) return false;
  await endTree(root, 0, found);
  return true;
}

/**
 * Ends the jobs of Synapse processes that are gone, as after a kill -9.
 *
 * @returns those of which something still ran
 */
export async function endLeftovers(folder: string): Promise<JobRecord[]> {
  const ended: JobRecord[] = [];
  for (const record of readRecords(folder)) {
    if (record.status === 'ended' || isRunning(record.owner) !== false) continue;
    if (await endProcesses(record)) ended.push(record);
    writeRecord(folder, { ...record, status: 'ended', ending: 'ended with the Synapse process that ran it', ended_at: new Date().toISOString() });
  }
  return ended;
}
