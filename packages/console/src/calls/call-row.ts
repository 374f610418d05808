import type { ConsoleCall, ConsoleVerdict } from '@synapse/protocol/console';
import { argumentLine, commandEnd, type AuditedCall, type Defaults } from '@synapse/hands/internal';

function verdictOf({ end }: AuditedCall): ConsoleVerdict | undefined {
  if (end === undefined) return undefined;
  if (end.code === 'approval_required') return 'asked';
  if (end.code === 'denied' || end.code === 'outside_workspace') return 'denied';
  return end.approver === undefined ? 'allowed' : 'approved';
}

/** Converts a call of the audit log to a row. */
export function callRow(call: AuditedCall, defaults?: Defaults): ConsoleCall {
  const { start, status } = call;
  const end = commandEnd(call);
  const verdict = verdictOf(call);
  return {
    n: start.seq,
    id: start.call,
    tool: start.tool,
    args: argumentLine(start.arguments, defaults),
    time: Date.parse(start.time),
    status,
    ...(end === undefined ? {} : { ms: end.duration_ms, bytes: end.result_bytes }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(end?.sandbox === undefined ? {} : { sandbox: end.sandbox }),
    ...(start.step === undefined ? {} : { step: start.step }),
    ...(start.session === undefined ? {} : { session: start.session }),
    ...(end?.code === undefined ? {} : { code: end.code }),
    ...(start.dry_run === undefined ? {} : { dryRun: start.dry_run }),
  };
}
