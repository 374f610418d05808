import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { AuditLog } from '../audit/audit-log.ts';
import type { EndRecord } from '../audit/audit-record.ts';
import { changedSince } from '../audit/changed-since.ts';
import { jobSummary } from '../audit/job-summary.ts';
import { commandEnd, queryAudit, type AuditedCall } from '../audit/query-audit.ts';
import { CommandBasis, type CommandRecord } from '../call/command-record.ts';
import { readLog } from '../jobs/job-log.ts';
import type { JobRecord } from '../jobs/job-record.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { hiddenFiles } from './hidden-files.ts';
import { workspaceNow } from './workspace-now.ts';

/** Milliseconds to wait for another process that records the same end. One that cannot leaves it to a later process. */
const LOCK_MS = 60_000;
/** Bytes of a log that are read at once. */
const READ_BYTES = 1024 * 1024;

/** How a job ended whose own process does not record it. */
interface JobEndElsewhere {
  /** The folder of the records and logs of jobs. */
  readonly folder: string;
  readonly stateFolder: string;
  readonly root: string;
  readonly job: JobRecord;
  /** The process that saw the end tells how it was: then the files are looked at. Otherwise nothing is known. */
  readonly seen?: { readonly exitCode: number | null; readonly ending: string };
}

/** The end of a job that no process saw. */
const UNSEEN = 'its end was not seen, because the Synapse process that ran it was killed';

function outputOf(folder: string, id: string): CommandRecord['output'] {
  const sum = createHash('sha256');
  const first = readLog(folder, id, 0, READ_BYTES);
  for (let part = first; part.bytes.length > 0; part = readLog(folder, id, part.from + part.bytes.length, READ_BYTES)) sum.update(part.bytes);
  return { sha256: sum.digest('hex'), bytes: first.end, ...(first.from === 0 ? {} : { from: first.from }) };
}

/** The content of the workspace before and after, for the record. */
async function treeOf({ tree, no_tree: problem }: CommandBasis, { stateFolder, root, job, seen }: JobEndElsewhere) {
  if (seen === undefined) return { no_tree: UNSEEN };
  if (tree === undefined) return { no_tree: problem ?? 'it was not recorded' };
  using now = workspaceNow(root, stateFolder);
  const after = await now.tree(hiddenFiles(now.store.reader(), tree.hidden).map(({ path }) => path));
  const isSame = typeof after !== 'string' && after.hash === tree.before;
  const left = typeof after === 'string' || isSame ? {} : { after: after.hash };
  // What differs may be of the job, or of what else ran.
  return { tree: { ...tree, ...left, ...(isSame && !changedSince(stateFolder, root, job.call) ? {} : { unstable: true as const }) } };
}

/** The part of a record that says which call it is about, and what was decided about that. */
function aboutOf({ start, end }: AuditedCall): Pick<EndRecord, 'call' | 'tool'> & Partial<EndRecord> {
  const { call, tool, session, step, mode, parent } = start;
  const { effects, resources, resolved, rule, approver, answer, undo } = end ?? {};
  const known = Object.entries({ session, step, mode, parent, effects, resources, resolved, rule, approver, answer, undo });
  return { call, tool, ...Object.fromEntries(known.filter(([, value]) => value !== undefined)) };
}

/** Records the end of a job in the audit log, in another process than the one that started it: once, by whichever is the first. */
export async function recordLostJob(elsewhere: JobEndElsewhere): Promise<void> {
  const { stateFolder, root, job } = elsewhere;
  const locks = new FileLocks(join(stateFolder, 'locks'));
  // All processes that open the workspace look for such jobs.
  await locks.hold([`${root}\0end of ${job.id}`], AbortSignal.timeout(LOCK_MS), async () => await recordAlone(elsewhere));
}

async function recordAlone(elsewhere: JobEndElsewhere): Promise<void> {
  const { stateFolder, root, job } = elsewhere;
  const [call] = queryAudit(stateFolder, root, { call: job.call, limit: 1 });
  // Removed for its age, or recorded by the process that ran it, right before it ended.
  if (call === undefined || call.jobEnd !== undefined || commandEnd(call)?.command !== undefined) return;
  // Killed before its command began: then there is nothing that a receipt could be about.
  const basis = job.basis === undefined ? undefined : CommandBasis.parse(job.basis);
  const ended = endOf(elsewhere, call, basis);
  const command = basis === undefined ? undefined : await commandOf(elsewhere, basis, ended);
  const { durationMs, exitCode, ending } = ended;
  using log = AuditLog.open(stateFolder, root);
  log.append({
    type: 'end',
    start: call.start.seq,
    job: job.id,
    ...aboutOf(call),
    ok: true,
    completion: exitCode === 0 ? 'ok' : 'failed',
    summary: jobSummary({ tool: call.tool, id: job.id, command: job.command, ending, durationMs }),
    duration_ms: Math.round(durationMs),
    result_bytes: 0,
    ...(job.sandbox === null ? {} : { sandbox: job.sandbox }),
    ...(command === undefined ? {} : { command }),
  });
}

interface Ended {
  readonly durationMs: number;
  readonly exitCode: number | null;
  readonly ending: string;
}

function endOf({ job, seen }: JobEndElsewhere, call: AuditedCall, basis: CommandBasis | undefined): Ended {
  // The clock may have been set back meanwhile.
  if (seen === undefined || basis === undefined)
    return { durationMs: Math.max(0, Date.now() - Date.parse(call.time)), exitCode: job.exit_code, ending: UNSEEN };
  return { durationMs: Number(process.hrtime.bigint()) / 1e6 - basis.started_ms, exitCode: seen.exitCode, ending: seen.ending };
}

async function commandOf(elsewhere: JobEndElsewhere, basis: CommandBasis, { durationMs, exitCode }: Ended): Promise<CommandRecord> {
  const { folder, job } = elsewhere;
  const { argv, programs, ran } = basis;
  return {
    argv,
    exit_code: exitCode,
    ...(exitCode === null ? { aborted: true } : {}),
    duration_ms: Math.round(durationMs),
    ...(ran === undefined ? {} : { ran }),
    // Not known here, and this is the most that it can have been.
    network: 'on',
    output: outputOf(folder, job.id),
    programs,
    ...(await treeOf(basis, elsewhere)),
  };
}
