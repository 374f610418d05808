import { readFileSync } from 'node:fs';
import { endTree, runningTree } from '../process/process-tree.ts';
import { readProcess } from '../process/process-table.ts';
import { isRunning } from '../workspace/process-identity.ts';
import { readRecords, writeRecord, type JobRecord } from './job-record.ts';

/** Returns an id of the current boot. After another boot, process ids refer to other processes. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    // Not Linux.
    return '';
  }
}

const LOST = { status: 'ended', ending: 'ended with the Synapse process that ran it' } as const;

/** Returns the current state of a job. It ends with its Synapse process, even if that was not recorded yet. */
export function asItIs(record: JobRecord): JobRecord {
  const { status, owner, process, boot } = record;
  if (status === 'ended' || isRunning(owner) !== false) return record;
  const isThere = process !== null && boot === bootId() && readProcess(process.pid)?.startTime === process.start_time;
  return isThere ? record : { ...record, ...LOST };
}

/** Ends what still runs of a job. The first process is identified by id and start time, all others by a mark. */
async function endProcesses({ process, boot }: JobRecord): Promise<boolean> {
  if (process === null || boot !== bootId()) return false;
  const root = { pid: process.pid, startTime: process.start_time, tag: process.mark };
  const found = runningTree(root);
  if (found.length === 0) return false;
  await endTree(root, 0, found);
  return true;
}

/**
 * Ends the jobs of Synapse processes that no longer exist, for example after kill -9.
 *
 * @returns the jobs that were still running
 */
export async function endLeftovers(folder: string): Promise<JobRecord[]> {
  const ended: JobRecord[] = [];
  for (const record of readRecords(folder)) {
    if (record.status === 'ended' || isRunning(record.owner) !== false) continue;
    if (await endProcesses(record)) ended.push(record);
    writeRecord(folder, { ...record, ...LOST, ended_at: new Date().toISOString() });
  }
  return ended;
}
