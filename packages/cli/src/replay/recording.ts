import { callFacts, recordedCalls, SessionStore, type CallFacts, type RecordedCall, type RecordedSession, type SessionRecord } from '@synapse/brain';
import { branchCalls, BranchStore, defaultStateFolder, queryAudit, type AuditedCall } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';

/** A session with all that its records have for a replay. */
export interface Recording {
  readonly session: SessionRecord;
  readonly messages: ReturnType<SessionStore['messages']>;
  readonly calls: readonly RecordedCall[];
  /** The calls that ran. */
  readonly ran: ReadonlySet<string>;
  /** By the id of the call. */
  readonly facts: ReadonlyMap<string, CallFacts>;
  /** The workspace at its start, of a session from a file. */
  readonly start: RecordedSession['start'];
  /** Whether the answers were recorded, or only a line about each call. */
  readonly answers: 'texts' | 'summaries';
}

/**
 * Finds a session of a model with its calls, in the stored sessions and the audit log.
 *
 * @throws SynapseError `not_found`; `unavailable` for a session on another machine
 */
export function findRecording(named: string): Recording {
  using store = SessionStore.open(defaultStateFolder());
  const session = store.named(named);
  if (session.remote !== undefined) {
    throw new SynapseError('unavailable', `The session ${session.id} worked on another machine, whose files are not here.`, {
      hint: `See what it did: synapse sessions show ${session.id}`,
    });
  }
  const ran = new Set(store.calls(session.id).map(({ id }) => id));
  const messages = store.messages(session.id);
  const calls = recordedCalls(session.id, messages);
  const imported = store.imported(session.id);
  if (imported === undefined) return { session, messages, calls, ran, facts: factsOf(auditedCalls(session)), start: undefined, answers: 'texts' };
  const facts = new Map(imported.calls.flatMap((call) => (call.facts === undefined ? [] : [[call.id, call.facts] as const])));
  return { session, messages, calls, ran, facts, start: imported.start, answers: 'texts' };
}

/** The calls of a session in the audit logs of its workspace and its branch. */
export function auditedCalls({ id, workspace, branch }: SessionRecord): AuditedCall[] {
  const stateFolder = defaultStateFolder();
  const stored = branch === undefined ? [] : new BranchStore(stateFolder, workspace).list((name) => name === branch);
  return [...queryAudit(stateFolder, workspace, { session: id }), ...stored.flatMap((one) => [...branchCalls(stateFolder, one, { session: id })])];
}

/** What the audit log knows of calls, by their ids. */
export function factsOf(calls: readonly AuditedCall[]): ReadonlyMap<string, CallFacts> {
  return new Map(
    calls.flatMap((call) => {
      const facts = callFacts(call);
      return facts === undefined ? [] : [[call.call, facts] as const];
    }),
  );
}
