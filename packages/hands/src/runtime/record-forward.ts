import { randomUUID } from 'node:crypto';
import { CallAudit } from '../audit/call-audit.ts';
import { newCallState, type RequestedCall } from '../call/call.ts';
import { count, size } from '../text/amounts.ts';

/** A forwarded port, for its record. */
interface RecordedForward {
  readonly stateFolder: string;
  /** The real path of the workspace. */
  readonly root: string;
  readonly sessionId: string;
  readonly job: string;
  readonly port: number;
}

/** What came of a forwarded port. */
export interface ForwardOutcome {
  readonly connections: number;
  /** Bytes that were sent to the job. */
  readonly received: number;
  /** Bytes that the job sent. */
  readonly sent: number;
  /** Why it ended, if its agent did not close it. */
  readonly reason?: string;
}

const NAME = 'forward_port';

/**
 * Writes to the audit log that a port of a job is forwarded. Returns a function that writes the end.
 *
 * @throws SynapseError `unavailable` if the log cannot be written: what is not on record does not happen
 */
export function recordForward({ stateFolder, root, sessionId, job, port }: RecordedForward): (outcome: ForwardOutcome) => void {
  // Nothing in these records is text of a model.
  const audit = new CallAudit(stateFolder, root, (text) => text);
  const input = { job, port };
  const state = newCallState();
  state.effects = 'net';
  const call: RequestedCall = { name: NAME, input, options: { sessionId }, callId: randomUUID(), startedAt: performance.now(), state };
  const failure = audit.start({ ...call, tool: { effects: 'net' }, arguments: input });
  if (failure !== undefined) {
    audit[Symbol.dispose]();
    throw failure;
  }
  return ({ connections, received, sent, reason }) => {
    const durationMs = performance.now() - call.startedAt;
    const amounts = `${count(connections, 'connection')}, ${size(received)} in, ${size(sent)} out, ${(durationMs / 1_000).toFixed(1)} s`;
    const summary = `${NAME}(${job}, ${port}) → ${amounts}${reason === undefined ? '' : `: ${reason}`}`;
    // A failure is that of a full disk, of which the next call tells.
    audit.endNow(call, { meta: { callId: call.callId, tool: NAME, sessionId, durationMs, summary, completion: 'ok' }, bytes: sent });
    audit[Symbol.dispose]();
  };
}
