import type { SessionRecord } from '@synapse/brain';
import { defaultStateFolder, queryAudit, type AuditedCall } from '@synapse/hands/internal';

/** The calls in a workspace since a session began. */
export interface CallsSince {
  /** The call before which the workspace was as at the start; undefined if none was made since. */
  readonly first: string | undefined;
  /** Newest first. */
  readonly calls: readonly AuditedCall[];
}

/** Finds the moment at which a session of this machine began. */
export function callsSince({ id, workspace, createdAt }: SessionRecord): CallsSince {
  const stateFolder = defaultStateFolder();
  const first = [...queryAudit(stateFolder, workspace, { session: id })].at(-1)?.call;
  if (first !== undefined) return { first, calls: callsFrom(first, queryAudit(stateFolder, workspace)) };
  // The calls of a session in a branch are in another log, and the workspace was then as before the first of these.
  const calls = [...queryAudit(stateFolder, workspace, { since: new Date(createdAt) })];
  return { first: calls.at(-1)?.call, calls };
}

/** The calls of a log from one on, newest first: by their order, because the clock may have been set. */
function callsFrom(first: string, log: Iterable<AuditedCall>): AuditedCall[] {
  const calls: AuditedCall[] = [];
  for (const call of log) {
    calls.push(call);
    if (call.call === first) break;
  }
  return calls;
}
