import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxTier } from '@synapse/protocol';
import * as z from 'zod';
import { isJobId, removeLog } from './job-log.ts';

/** The record of a job on disk, for other processes and later ones. */
export const JobRecord = z.strictObject({
  id: z.string().refine(isJobId),
  /** Secrets are removed. */
  command: z.string(),
  cwd: z.string(),
  session: z.string(),
  call: z.string(),
  started_at: z.iso.datetime(),
  /** The Synapse process that runs the job: process id and start time. */
  owner: z.string(),
  /** Id of the boot in which the process ids are valid. */
  boot: z.string(),
  /** The first process; null before it runs. */
  process: z
    .strictObject({
      pid: z.int().positive(),
      start_time: z.number(),
      mark: z.strictObject({ variable: z.string(), limit: z.string(), limitKib: z.number() }),
    })
    .nullable(),
  status: z.enum(['running', 'ending', 'ended']),
  detached: z.boolean(),
  /** Whether it outlives the Synapse process that started it. */
  outlives: z.boolean().default(false),
  /** Null while the job runs, and if there is no exit code. */
  exit_code: z.int().nullable(),
  /** How the job ended, as text; null while it runs. */
  ending: z.string().nullable(),
  /** What was found in the workspace when a job ended that had outlived its process. */
  notes: z.array(z.string()).default([]),
  ended_at: z.iso.datetime().nullable(),
  sandbox: SandboxTier.nullable(),
  /** What its record in the audit log needs that only its owner knew: parsed where that is written. */
  basis: z.unknown().optional(),
  /** Whether its end is in the audit log. */
  recorded: z.boolean().optional(),
});
export type JobRecord = z.infer<typeof JobRecord>;

/** Ended jobs are kept for this many milliseconds, and at most this many of them. */
const KEEP_MS = 24 * 60 * 60 * 1000;
const KEEP_COUNT = 50;

/** Returns the folder with the jobs of a workspace. */
export function jobsFolder(stateFolder: string, workspaceId: string): string {
  return join(stateFolder, 'jobs', workspaceId);
}

/** The file for the exit code of a job, for a keeper. */
export function exitFile(folder: string, id: string): string {
  return join(folder, `${id}.exit`);
}

/** Creates the folder, accessible only to its owner, because outputs can contain secrets. */
export function makeJobsFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Writes a record atomically. */
export function writeRecord(folder: string, record: JobRecord): void {
  const path = join(folder, `${record.id}.json`);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(record), { mode: 0o600 });
  renameSync(temporary, path);
}

/** Returns the record of a job; undefined if it is missing. */
export function readRecord(folder: string, id: string): JobRecord | undefined {
  if (!isJobId(id)) return undefined;
  try {
    return JobRecord.parse(JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')));
  } catch {
    // Missing, or from another version of Synapse.
    return undefined;
  }
}

/** Returns all records, oldest first. */
export function readRecords(folder: string): JobRecord[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // No job has run here.
    return [];
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readRecord(folder, name.slice(0, -'.json'.length)) ?? [])
    .toSorted((a, b) => a.started_at.localeCompare(b.started_at));
}

/** Returns the jobs that ended, and whose end is not in the audit log. */
export function unrecorded(folder: string): JobRecord[] {
  return readRecords(folder).filter(({ status, recorded }) => status === 'ended' && recorded === false);
}

function remove(folder: string, id: string): void {
  removeLog(folder, id);
  rmSync(exitFile(folder, id), { force: true });
  rmSync(join(folder, `${id}.json`), { force: true });
}

/** Removes jobs that ended long ago, and the oldest ended jobs if there are too many. */
export function removeOldRecords(folder: string, now = Date.now()): void {
  const ended = readRecords(folder).filter(({ ended_at: at }) => at !== null);
  const old = ended.filter(({ ended_at: at }) => now - Date.parse(at ?? '') > KEEP_MS);
  for (const { id } of new Set([...old, ...ended.slice(0, Math.max(0, ended.length - KEEP_COUNT))])) remove(folder, id);
}
