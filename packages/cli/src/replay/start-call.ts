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
  const calls = [...queryAudit(defaultStateFolder(), workspace, { since: new Date(createdAt) })];
  // The calls of a session in a branch are in another log, and the workspace was then as before the first of these.
  const first = calls.findLast(({ start }) => start.session === id) ?? calls.at(-1);
  return { first: first?.call, calls };
}
