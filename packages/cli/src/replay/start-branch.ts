import { randomBytes } from 'node:crypto';
import type { Hands } from '@synapse/hands';
import { defaultStateFolder, queryAudit } from '@synapse/hands/internal';
import type { Recording } from './recording.ts';

/** The branch in which a session is replayed. */
export interface StartBranch {
  readonly name: string;
  /** The call before which the workspace is as at the start; null if no call was made since. */
  readonly at: string | null;
  /** What differs from the start, or may, in sentences. */
  readonly notes: readonly string[];
}

/** Maximum number of calls to name. */
const MAX_NAMED = 3;

/**
 * Makes a branch of the workspace as it was when a session began.
 *
 * @throws SynapseError `not_found` if the undo journal does not reach back that far, `too_large` if a content is not kept
 */
export async function makeStartBranch({ session, ran, facts }: Recording, hands: Hands): Promise<StartBranch> {
  // Newest first. The calls of a session in a branch are in another log, and the workspace was then as before the first of these.
  const since = [...queryAudit(defaultStateFolder(), hands.workspace, { since: new Date(session.createdAt) })];
  const at = (since.findLast((call) => call.start.session === session.id) ?? since.at(-1))?.call;
  const name = `replay-${session.id.replace(/^s-/u, '').slice(0, 16)}-${randomBytes(2).toString('hex')}`;
  await hands.createBranch(name, at === undefined ? {} : { at });
  const live = since.filter(({ end }) => end?.undo === 'not covered' && (end.changes?.length ?? 0) > 0).map(({ call }) => call);
  const isUnrecorded = ran.size > 0 && facts.size === 0;
  const notes = [
    ...(live.length === 0 ? [] : [`What ${live.slice(0, MAX_NAMED).join(', ')} changed is there too: it ran live, and cannot be taken back.`]),
    ...(session.branch === undefined ? [] : [`The session worked in the branch ${session.branch}: what that had from before is not there.`]),
    ...(isUnrecorded ? ['The audit log does not hold its calls any more: their changes are not compared.'] : []),
  ];
  return { name, at: at ?? null, notes };
}
