import { SynapseError } from '@synapse/protocol';
import type { CallAudit } from '../store/audit/call-audit.ts';
import type { ScopedCall } from './call.ts';

/**
 * Writes down what is to run, before any of it does. A call that could change something does not run where
 * that fails: nobody could tell afterwards what it did. Reading goes on, and the answer says so.
 */
export function beginRecord(call: ScopedCall, audit: CallAudit): ScopedCall {
  call.facts.effects = call.tool.effects;
  const failure = audit.start(call);
  if (failure === undefined) return call;
  if (call.tool.effects !== 'read') {
    throw new SynapseError(failure.code, `${failure.message} ${call.tool.name} could change something, so it was not run.`, {
      ...(failure.hint === undefined ? {} : { hint: failure.hint }),
      cause: failure,
    });
  }
  call.facts.unrecorded = true;
  call.facts.notes.push(`This call is not in the audit log. ${failure.message}`);
  return call;
}
