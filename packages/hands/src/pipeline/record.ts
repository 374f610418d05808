import { hash } from 'node:crypto';
import { SynapseError, type CallEvent, type CallFailure, type CallMeta, type CallResult } from '@synapse/protocol';
import type { CallAudit } from '../audit/call-audit.ts';
import { displayText } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { type CheckedCall, contentText, type RequestedCall, type ShapedCall } from '../call/call.ts';

/** Receives the events of calls. */
export type EventListener = (event: CallEvent) => void;

/** Maximum irreversible changes listed in a result. */
const MAX_LISTED = 20;

/** Where calls are reported. */
export interface Recorders {
  readonly audit: CallAudit;
  readonly emit: EventListener;
  /** Keeps what calls left in files, by their paths. */
  readonly keepTexts: (paths: readonly string[]) => void;
}

export const identityOf = (call: RequestedCall): Pick<CallMeta, 'callId' | 'tool' | 'sessionId' | 'stepId'> => ({
  callId: call.callId,
  tool: call.name,
  ...(call.options.sessionId === undefined ? {} : { sessionId: call.options.sessionId }),
  ...(call.options.stepId === undefined ? {} : { stepId: call.options.stepId }),
});

/** Emits the start of a call. @param shown its input, as listeners may see it */
export function recordStart(call: RequestedCall, emit: EventListener, shown: unknown = call.input): void {
  emit({ type: 'call-start', ...identityOf(call), arguments: shown });
}

/**
 * Records a call before it runs. A call that could change something does not run if
 * that fails, because its effects would not be on record. Reading continues, and the answer says so.
 */
export function startRecord(call: CheckedCall, audit: CallAudit): CheckedCall {
  call.state.effects = call.tool.effects;
  const failure = audit.start(call);
  if (failure === undefined) return call;
  if (call.tool.effects !== 'read') {
    throw new SynapseError(failure.code, `${failure.message} ${call.tool.name} could change something, so it was not run.`, {
      ...(failure.hint === undefined ? {} : { hint: failure.hint }),
      cause: failure,
    });
  }
  call.state.unrecorded = true;
  call.state.notes.push(`This call is not in the audit log. ${failure.message}`);
  return call;
}

/** The summary with the tool name that the caller used. */
function shownSummary({ name, options }: RequestedCall, summary: string): string {
  return options.calledAs !== undefined && summary.startsWith(name) ? `${options.calledAs}${summary.slice(name.length)}` : summary;
}

/** Completes the record of the command that ended in a call. It ran whatever comes of that: then its answer says that it has no receipt. */
async function endCommand({ state, options, content }: ShapedCall): Promise<void> {
  state.isEnding = true;
  // What is only tried proves nothing.
  if (state.endCommand === undefined || options.dryRun === true || options.inDryRun === true) return;
  try {
    state.command = { ...(await state.endCommand()), shown: hash('sha256', contentText(content)) };
  } catch (error) {
    const errno = errnoOf(error);
    content.push({
      type: 'note',
      text: `[This command has no receipt: its record could not be completed${errno === undefined ? '' : ` (${errno})`}.]`,
    });
  }
}

/** What the end of a call says of what it did. */
function effectsOf({ undo, appliedFrom, ran, pending, dryRun, tooLargeToUndo }: ShapedCall['state']): Partial<CallMeta> {
  return {
    ...(undo === undefined ? {} : { undo }),
    ...(appliedFrom === undefined ? {} : { appliedFrom }),
    ...(ran === undefined ? {} : { ran }),
    ...(pending === undefined ? {} : { pending }),
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(tooLargeToUndo.length === 0 ? {} : { tooLargeToUndo: tooLargeToUndo.slice(0, MAX_LISTED) }),
  };
}

/** Makes the result of a call that ran, records it and emits its end. */
export async function recordSuccess(call: ShapedCall, { audit, emit, keepTexts }: Recorders): Promise<CallResult> {
  const { tool, data, content } = call;
  call.state.sandbox ??= call.sandbox;
  const meta: CallMeta = {
    ...identityOf(call),
    durationMs: performance.now() - call.startedAt,
    // One line, whatever the arguments contain: a newline in a name must not forge a second entry.
    summary: displayText(
      shownSummary(
        call,
        audit.summary((input) => tool.summarize(input, data), call.arguments),
      ),
    ),
    completion: tool.completion?.(data) ?? 'ok',
    ...(call.truncation === undefined ? {} : { truncation: call.truncation }),
    ...(call.sandbox === undefined ? {} : { sandbox: call.sandbox }),
    ...effectsOf(call.state),
  };
  await endCommand(call);
  let output = contentText(content);
  if (call.state.command !== undefined) meta.receipt = call.callId;
  const unrecorded = await audit.end(call, { meta, bytes: call.bytes });
  if (unrecorded !== undefined) delete meta.receipt;
  if (unrecorded !== undefined && !call.state.unrecorded) {
    // The call ran, so the result must report that it is not in the log.
    content.push({ type: 'note', text: `[What came of this call is not in the audit log. ${unrecorded.message}]` });
    output = contentText(content);
  }
  if (call.state.changes.length > 0) keepTexts(call.state.changes.map(({ path, to = path }) => to));
  emit({ type: 'call-end', ...identityOf(call), ok: true, meta });
  return { ok: true, output, content, data, meta };
}

/** Records a call that ran in another process, and emits its end. Returns the error if it is not on record. */
export function recordResult(call: RequestedCall, result: CallResult, { audit, emit }: Pick<Recorders, 'audit' | 'emit'>): SynapseError | undefined {
  const { meta } = result;
  const outcome = result.ok ? { meta, bytes: Buffer.byteLength(result.output) } : { meta, error: result.error, bytes: 0 };
  const unrecorded = audit.endNow(call, outcome);
  emit({ type: 'call-end', ...identityOf(call), ...(result.ok ? { ok: true, meta } : { ok: false, error: result.error, meta }) });
  return unrecorded;
}

/** Makes the result of a call that failed at any stage, records it and emits its end. */
export function recordFailure(call: RequestedCall, failure: SynapseError, { audit, emit }: Recorders): CallFailure {
  const { code, message, hint, retryable, details, cause } = failure;
  call.state.isEnding = true;
  const error = { code, message, retryable, ...(hint === undefined ? {} : { hint }), ...(details === undefined ? {} : { details }) };
  const meta: CallMeta = {
    ...identityOf(call),
    durationMs: performance.now() - call.startedAt,
    summary: displayText(`${(call.options.calledAs ?? call.name).slice(0, 64)} → ${code}`),
    completion: code === 'timeout' ? 'timeout' : 'failed',
  };
  // The failed call keeps its own message, even if recording it failed too.
  audit.endNow(call, { meta, error, cause, bytes: Buffer.byteLength(message) });
  emit({ type: 'call-end', ...identityOf(call), ok: false, error, meta });
  return { ok: false, error, meta };
}
