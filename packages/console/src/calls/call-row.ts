import type { AuditedCall } from '@synapse/hands/internal';
import type { ConsoleCall, ConsoleVerdict } from '@synapse/protocol/console';

/** Maximum characters of the arguments in a row. */
const MAX_ARGS = 160;
const MAX_VALUE = 120;

function valueText(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_VALUE);
  // A text that is truncated in the log.
  if (typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string') return value.text.slice(0, MAX_VALUE);
  return JSON.stringify(value)?.slice(0, MAX_VALUE) ?? '';
}

/** Formats the arguments in one line: the first value, then the others with their names. */
export function argumentLine(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return valueText(input ?? '').slice(0, MAX_ARGS);
  const [first, ...rest] = Object.entries(input);
  if (first === undefined) return '';
  const more = rest.map(([name, value]) => `${name}=${valueText(value)}`);
  return [valueText(first[1]), ...more].join(' ').replaceAll(/\s+/gu, ' ').slice(0, MAX_ARGS).toWellFormed();
}

function verdictOf({ end }: AuditedCall): ConsoleVerdict | undefined {
  if (end === undefined) return undefined;
  if (end.code === 'approval_required') return 'asked';
  if (end.code === 'denied' || end.code === 'outside_workspace') return 'denied';
  return end.approver === undefined ? 'allowed' : 'approved';
}

/** Converts a call of the audit log to a row. */
export function callRow(call: AuditedCall): ConsoleCall {
  const { start, end, status } = call;
  const verdict = verdictOf(call);
  return {
    n: start.seq,
    id: start.call,
    tool: start.tool,
    args: argumentLine(start.arguments),
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
