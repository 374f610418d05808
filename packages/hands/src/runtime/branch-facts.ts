import { join } from 'node:path';
import { queryAuditFolder, type AuditedCall, type AuditFilter } from '../audit/query-audit.ts';
import { WorkspaceJobs } from '../jobs/workspace-jobs.ts';
import { BranchStore, type StoredBranch } from '../branch/branch-store.ts';
import { countChanges } from '../branch/count-changes.ts';
import { isHeld } from '../branch/hold-branch.ts';
import { isTestCommand } from './test-command.ts';

/** Maximum number of the newest calls in which sessions are looked for. */
const MAX_CALLS = 500;

/** A branch in a list. */
export interface BranchFacts {
  readonly name: string;
  /** The branch that it is based on; null for the workspace. */
  readonly from: string | null;
  /** ISO 8601. */
  readonly created: string;
  /** Number of files and other entries that differ from what it is based on. */
  readonly changes: number;
  /** The jobs that run in it, with the ports on which they listen: `synapse jobs forward` leads there. */
  readonly jobs: ReadonlyArray<{ readonly id: string; readonly command: string; readonly ports: readonly number[] }>;
  /** Whether a process works in it. */
  readonly in_use: boolean;
}

/** Lists the branches of a workspace, by name. */
export function branchFacts(stateFolder: string, root: string): BranchFacts[] {
  return new BranchStore(stateFolder, root).list().map((stored) => factsOf(stored, root));
}

function factsOf({ folder, record: { name, from, created } }: StoredBranch, root: string): BranchFacts {
  return {
    name,
    from,
    created,
    changes: countChanges(folder),
    jobs: runningJobs(new WorkspaceJobs(folder.state, root)),
    in_use: isHeld(folder),
  };
}

/** A session that made calls in a branch. */
export interface BranchSession {
  /** Null for calls without a session. */
  readonly session: string | null;
  readonly calls: number;
  /** The newest call. */
  readonly last: { readonly tool: string; readonly time: string; readonly status: 'ok' | 'failed' | 'running' | 'interrupted' };
}

/** Who worked in a branch, and the outcome of the last command, such as its tests. */
export interface BranchWork {
  /** The newest first. */
  readonly sessions: readonly BranchSession[];
  /** Undefined if no command is among the newest calls. */
  readonly command: BranchCommand | undefined;
  /** The last check of an attempt, or the last command that runs tests. Undefined if there is none among the newest calls. */
  readonly tests: (BranchCommand & { /** Whether something was changed since. */ readonly changedSince: boolean }) | undefined;
}

/** A command that ran in a branch. */
export interface BranchCommand {
  readonly line: string;
  readonly time: string;
  readonly status: 'ok' | 'failed' | 'running' | 'interrupted';
}

/** The calls in a branch, the newest first. */
export function branchCalls(stateFolder: string, { record }: StoredBranch, filter: AuditFilter = {}): Generator<AuditedCall> {
  return queryAuditFolder(join(stateFolder, 'audit', record.audit), filter);
}

const hasChanged = (end: AuditedCall['end']): boolean => (end?.changes?.length ?? 0) > 0;

/** Looks at the newest calls in a branch. */
export function branchWork(stateFolder: string, stored: StoredBranch): BranchWork {
  const found = new Map<string | null, BranchSession>();
  let [command, tests, changed]: [BranchWork['command'], BranchWork['tests'], boolean] = [undefined, undefined, false];
  for (const { start, end, tool, time, status } of branchCalls(stateFolder, stored, { limit: MAX_CALLS })) {
    const session = start.session ?? null;
    const known = found.get(session) ?? { session, calls: 0, last: { tool, time, status } };
    found.set(session, { ...known, calls: known.calls + 1 });
    const line = end === undefined || end.effects === 'exec' ? commandOf(start.arguments) : undefined;
    if (command === undefined && line !== undefined) command = { line, time, status };
    if (tests !== undefined) continue;
    const isDry = start.dry_run === true;
    // The check of an attempt is a dry run, and belongs to no session.
    if (line !== undefined && ((isDry && session === null) || isTestCommand(line))) tests = { line, time, status, changedSince: changed };
    else if (!isDry && hasChanged(end)) changed = true;
  }
  return { sessions: [...found.values()], command, tests };
}

function runningJobs(jobs: WorkspaceJobs): BranchFacts['jobs'] {
  const running = jobs.list().filter(({ status }) => status === 'running');
  return running.map(({ id, command }) => ({ id, command, ports: jobs.ports(id).map(({ port }) => port) }));
}

const commandOf = (input: unknown): string | undefined =>
  typeof input === 'object' && input !== null && 'command' in input && typeof input.command === 'string' ? input.command : undefined;
