import type { Approver, Hands } from '@synapse/hands';
import { errorText, type CallResult, type Progress } from '@synapse/protocol';
import { sha256, type CallStatus, type FinishedCall, type LedgerCall } from '@synapse/protocol/remote';

/** What came of a call, as it travels: the text for the model, and the result for programs. */
interface ResultBody {
  readonly output: string;
  readonly isError: boolean;
  readonly result: CallResult;
}

const STATUS: Partial<Record<Extract<CallResult, { ok: false }>['error']['code'], CallStatus>> = {
  denied: 'denied',
  approval_required: 'denied',
  cancelled: 'cancelled',
};

function statusOf({ isError, result }: ResultBody): CallStatus {
  if (!result.ok) return STATUS[result.error.code] ?? 'error';
  return isError ? 'error' : 'success';
}

function finished(body: ResultBody): FinishedCall {
  const text = JSON.stringify(body);
  return { status: statusOf(body), bytes: Buffer.byteLength(text), sha256: sha256(text), body: text };
}

/** Runs a call through the ordinary pipeline: what it may do is decided here, whatever was sent. */
export async function runCall(
  hands: Hands,
  { tool, args, dialect, deadlineMs }: LedgerCall,
  options: {
    readonly signal: AbortSignal;
    readonly onProgress: (progress: Progress) => void;
    readonly approver?: Approver;
    readonly sessionId: string;
  },
): Promise<FinishedCall> {
  const given = { ...options, ...(deadlineMs === undefined ? {} : { timeoutMs: deadlineMs }) };
  if (dialect !== undefined) {
    const { output, isError, result } = await hands.dialect(dialect).call(tool, args, given);
    return finished({ output, isError, result });
  }
  const result = await hands.call(tool, args, given);
  return finished({ output: result.ok ? result.output : errorText(result.error), isError: !result.ok, result });
}
