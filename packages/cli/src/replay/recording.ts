import { callFacts, recordedCalls, SessionStore, type CallFacts, type RecordedCall, type SessionRecord } from '@synapse/brain';
import { branchCalls, BranchStore, defaultStateFolder, queryAudit, type AuditedCall } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';

/** A session with all that its records have for a replay. */
export interface Recording {
  readonly session: SessionRecord;
  readonly calls: readonly RecordedCall[];
  /** The calls that ran. */
  readonly ran: ReadonlySet<string>;
  /** By the id of the call. */
  readonly facts: ReadonlyMap<string, CallFacts>;
}

/**
 * Finds a session with its calls, in the sessions of models and the audit log.
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
  return { session, calls: recordedCalls(session.id, store.messages(session.id)), ran, facts: recordedFacts(session) };
}

/** What the audit logs of the workspace and of the branch of a session have about its calls. */
function recordedFacts({ id, workspace, branch }: SessionRecord): ReadonlyMap<string, CallFacts> {
  const stateFolder = defaultStateFolder();
  const stored = branch === undefined ? [] : new BranchStore(stateFolder, workspace).list((name) => name === branch);
  const audited: AuditedCall[] = [
    ...queryAudit(stateFolder, workspace, { session: id }),
    ...stored.flatMap((one) => [...branchCalls(stateFolder, one, { session: id })]),
  ];
  return new Map(
    audited.flatMap((call) => {
      const facts = callFacts(call);
      return facts === undefined ? [] : [[call.call, facts] as const];
    }),
  );
}
