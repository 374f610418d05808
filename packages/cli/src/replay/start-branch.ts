import { randomBytes } from 'node:crypto';
import type { Hands } from '@synapse/hands';
import { setTimes } from '@synapse/hands/internal';
import { holdNamed } from '../branch/enter-branch.ts';
import { compareStart } from './recorded-start.ts';
import type { Recording } from './recording.ts';
import { callsSince } from './start-call.ts';

/** The branch in which a session is replayed. */
export interface StartBranch {
  readonly name: string;
  /** The call before which the workspace is as at the start; null if it is as it is now. */
  readonly at: string | null;
  /** What differs from the start, or may, in sentences. */
  readonly notes: readonly string[];
}

/** Maximum number of calls to name. */
const MAX_NAMED = 3;

/**
 * Makes a branch of the workspace as it was when a session began. A session from a file begins with the workspace as it is.
 *
 * @throws SynapseError `not_found` if the undo journal does not reach back that far, `too_large` if a content is not kept
 */
export async function makeStartBranch(recording: Recording, hands: Hands, signal: AbortSignal): Promise<StartBranch> {
  const { session, start } = recording;
  const name = `replay-${session.id
    .replace(/^s-/u, '')
    .toLowerCase()
    .replaceAll(/[^a-z\d]/gu, '')
    .slice(0, 16)}-${randomBytes(3).toString('hex')}`;
  if (session.importedFrom !== undefined) {
    const { notes, times } = await compareStart(start, hands, signal);
    await hands.createBranch(name);
    await keepTimes(name, hands, times, signal);
    return { name, at: null, notes };
  }
  const { first, calls } = callsSince(session);
  await hands.createBranch(name, { signal, ...(first === undefined ? {} : { at: first }) });
  return { name, at: first ?? null, notes: notesOf(recording, calls) };
}

/** Gives files of a branch the times that they had where the session was recorded. */
async function keepTimes(name: string, hands: Hands, times: ReadonlyMap<string, bigint>, signal: AbortSignal): Promise<void> {
  if (times.size === 0) return;
  using held = await holdNamed(name, hands.workspace, signal);
  await setTimes(held.path(hands.workspace), times, signal);
}

function notesOf({ session, ran, facts, answers }: Recording, since: ReturnType<typeof callsSince>['calls']): string[] {
  const live = since.filter(({ end }) => end?.undo === 'not covered' && (end.changes?.length ?? 0) > 0).map(({ call }) => call);
  return [
    ...(live.length === 0 ? [] : [`What ${live.slice(0, MAX_NAMED).join(', ')} changed is there too: it ran live, and cannot be taken back.`]),
    ...(session.branch === undefined ? [] : [`The session worked in the branch ${session.branch}: what that had from before is not there.`]),
    ...(ran.size > 0 && facts.size === 0 ? ['The audit log does not hold its calls any more: their changes are not compared.'] : []),
    ...(answers === 'texts' ? [] : ['Only the audit log knows this session: outcomes, changes and hashes of outputs are compared, and no texts.']),
  ];
}
