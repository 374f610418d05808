import type { CallEvent, CallFailure, CallMeta, CallResult, SynapseError } from '@synapse/protocol';
import type { CallAudit } from '../store/audit/call-audit.ts';
import { displayText } from '../workspace/byte-name.ts';
import type { RequestedCall, ShapedCall } from './call.ts';
import { contentText } from './shape.ts';

/** Takes the events of calls. */
export type EventListener = (event: CallEvent) => void;

/** Of what cannot be undone, a result names at most so many. */
const MAX_LISTED = 20;

/** Where calls are told of. */
export interface Recorders {
  readonly audit: CallAudit;
  readonly emit: EventListener;
}

const identity = (call: RequestedCall): Pick<CallMeta, 'callId' | 'tool' | 'sessionId' | 'stepId'> => ({
  callId: call.callId,
  tool: call.name,
  ...(call.options.sessionId === undefined ? {} : { sessionId: call.options.sessionId }),
  ...(call.options.stepId === undefined ? {} : { stepId: call.options.stepId }),
});

/** Tells that a call begins. */
export function recordStart(call: RequestedCall, emit: EventListener): void {
  emit({ type: 'call-start', ...identity(call), arguments: call.input });
}

/** Makes the result of a call that ran, and tells of it. */
export function recordSuccess(call: ShapedCall, { audit, emit }: Recorders): CallResult {
  const { tool, data, content } = call;
  call.facts.sandbox ??= call.sandbox;
  const meta: CallMeta = {
    ...identity(call),
    durationMs: performance.now() - call.startedAt,
    // One line, whatever the arguments hold: a newline in a name must not forge a second entry.
    summary: displayText(audit.summary((input) => tool.summarize(input, data), call.arguments)),
    completion: tool.completion?.(data) ?? 'ok',
    ...(call.truncation === undefined ? {} : { truncation: call.truncation }),
    ...(call.sandbox === undefined ? {} : { sandbox: call.sandbox }),
    ...(call.facts.undo === undefined ? {} : { undo: call.facts.undo }),
    ...(call.facts.appliedFrom === undefined ? {} : { appliedFrom: call.facts.appliedFrom }),
    ...(call.facts.ran === undefined ? {} : { ran: call.facts.ran }),
    ...(call.facts.pending === undefined ? {} : { pending: call.facts.pending }),
    ...(call.facts.dryRun === undefined ? {} : { dryRun: call.facts.dryRun }),
    ...(call.facts.tooLargeToUndo.length === 0 ? {} : { tooLargeToUndo: call.facts.tooLargeToUndo.slice(0, MAX_LISTED) }),
  };
  let output = contentText(content);
  const unrecorded = audit.end(call, { meta, bytes: call.bytes });
  if (unrecorded !== undefined && !call.facts.unrecorded) {
    // It is done and cannot be taken back; that it is not in the log must not go unsaid.
    content.push({ type: 'note', text: `[What came of this call is not in the audit log. ${unrecorded.message}]` });
    output = contentText(content);
  }
  emit({ type: 'call-end', ...identity(call), ok: true, meta });
  return { ok: true, output, content, data, meta };
}

/** Makes the result of a call that failed at any stage, and tells of it. */
export function recordFailure(call: RequestedCall, failure: SynapseError, { audit, emit }: Recorders): CallFailure {
  const { code, message, hint, retryable, details, cause } = failure;
  const error = { code, message, retryable, ...(hint === undefined ? {} : { hint }), ...(details === undefined ? {} : { details }) };
  const meta: CallMeta = {
    ...identity(call),
    durationMs: performance.now() - call.startedAt,
    summary: displayText(`${call.name.slice(0, 64)} → ${code}`),
    completion: code === 'timeout' ? 'timeout' : 'failed',
  };
  // A failure has its own message; that it could not be written down as well changes nothing about it.
  audit.end(call, { meta, error, cause, bytes: Buffer.byteLength(message) });
  emit({ type: 'call-end', ...identity(call), ok: false, error, meta });
  return { ok: false, error, meta };
}
