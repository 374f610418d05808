import { hash } from 'node:crypto';
import type { Approver, Hands } from '@synapse/hands';
import { errorText, toSynapseError, type CallResult, type Progress } from '@synapse/protocol';
import { type CallStatus, type FinishedCall, type LedgerCall } from '@synapse/protocol/remote';
import * as z from 'zod';
import { narrowJson } from '../narrow-json.ts';
import { parseResult } from '../parse-result.ts';
import { takeTexts } from '../text-references.ts';
import { personCall, type LocalId } from './person-calls.ts';

/** The result of a call: the text for the model, and the result for programs. */
interface ResultBody {
  readonly output: string;
  readonly isError: boolean;
  /** The answer as a value in a dialect's format, for call items that have one. */
  readonly value?: unknown;
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

/**
 * The result as it travels: what it has of the text for the model, in whatever place, is only named. See `readResult`.
 *
 * The text is apart from the rest, where a single character beyond Latin-1, such as the arrow in a summary, makes V8 write all of it with two bytes
 * per character. It follows the JSON after a line break, as it is, if the brain can read that and it is ASCII; others take longer so than as JSON.
 */
function travelling({ output, isError, value, result }: ResultBody, appends: boolean): string {
  const taken = takeTexts({ ...(value === undefined ? {} : { value }), result }, output);
  const rest = { isError, ...(taken.value as object), ...(taken.references.length === 0 ? {} : { texts: taken.references }) };
  const json = narrowJson(JSON.stringify(rest));
  if (appends && Buffer.byteLength(output) === output.length) return `${json}\n${output}`;
  return `{"output":${narrowJson(JSON.stringify(output))},${json.slice(1)}`;
}

function finished(body: ResultBody, appends = false): FinishedCall {
  const text = travelling(body, appends);
  const bytes = Buffer.from(text);
  return { status: statusOf(body), bytes: bytes.length, sha256: hash('sha256', bytes, 'hex'), body: text };
}

const Recorded = z.object({ result: z.object({ meta: z.object({ callId: z.string().min(1) }) }) });

/** The id under which this machine recorded the call of a result. */
export function localIdOf(result: FinishedCall | undefined): string | undefined {
  if (result === undefined) return undefined;
  try {
    return Recorded.safeParse(parseResult(result.body)).data?.result.meta.callId;
  } catch {
    // The body was dropped, or says only that the call was interrupted.
    return undefined;
  }
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  readonly onOutput?: (output: string) => void;
  readonly approver?: Approver;
  readonly sessionId: string;
  /** The tools that it may use through another one. */
  readonly mayCall?: readonly string[];
  readonly localId?: LocalId;
}

async function answer(
  hands: Hands,
  { tool, args, dialect, deadlineMs, dryRun }: LedgerCall,
  { localId, ...options }: RunOptions,
): Promise<ResultBody> {
  const given = {
    ...options,
    remote: true,
    ...(deadlineMs === undefined ? {} : { timeoutMs: deadlineMs }),
    ...(dryRun === true ? ({ dryRun: true, dryRunFor: 'agent' } as const) : {}),
  };
  if (dialect !== undefined) {
    return await hands.dialect(dialect).call(tool, args, given);
  }
  const result = (await personCall(hands, tool, args, given, localId)) ?? (await hands.call(tool, args, given));
  return { output: result.ok ? result.output : errorText(result.error), isError: !result.ok, result };
}

/** The result of a call that could not run. */
export function failedCall(tool: string, thrown: unknown): FinishedCall {
  const { code, message, hint, retryable } = toSynapseError(thrown);
  const error = { code, message, retryable, ...(hint === undefined ? {} : { hint }) };
  const meta = { callId: '', tool, durationMs: 0, summary: `${tool} → ${code}`, completion: 'failed' as const };
  return finished({ output: errorText(error), isError: true, result: { ok: false, error, meta } });
}

/** Runs a call through the normal pipeline, which decides locally what it may do. Never rejects: no call of a brain ends the machine. */
export async function runCall(hands: Hands, call: LedgerCall, options: RunOptions): Promise<FinishedCall> {
  try {
    return finished(await answer(hands, call, options), call.appends);
  } catch (thrown) {
    return failedCall(call.tool, thrown);
  }
}
