import { CallResult, SynapseError, type Progress } from '@synapse/protocol';
import type { CallStatus, DataFrames, FinishedCall, Peer } from '@synapse/protocol/remote';
import * as z from 'zod';

/** What a person or a program may say about a call from afar. */
export interface RemoteCallOptions {
  /** A promise: a call of this id runs at most once, and its result can be asked for again. Default: a random UUID. */
  readonly callId?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly timeoutMs?: number;
  /** The call expires where it has not been started after so many milliseconds. */
  readonly queueMs?: number;
  /** Called where a person has to approve the call, and has not yet. */
  readonly onApproval?: (request: DataFrames['approval_request']) => void;
}

/** What came of a call through a dialect. */
export interface RemoteDialectResult {
  readonly output: string;
  readonly isError: boolean;
  readonly result: CallResult;
}

/** Formats of tools that can be sent. */
export type RemoteToolFormat =
  | 'openai'
  | 'openai-strict'
  | 'openai-responses'
  | 'openai-responses-native'
  | 'anthropic'
  | 'anthropic-native'
  | 'gemini'
  | 'mcp'
  | 'json-schema'
  | 'markdown';

/** Hands on another machine. */
export interface RemoteHands extends AsyncDisposable {
  /** Runs a tool there. Never rejects: a failure is a result with `ok: false`, and a line that breaks is waited for. */
  call(name: string, input?: unknown, options?: RemoteCallOptions): Promise<CallResult>;
  /** The tools there, in a provider's format. */
  tools(format: RemoteToolFormat): Promise<unknown>;
  /** The tools under the names and in the shapes of another system. */
  dialect(name: string): {
    readonly name: string;
    tools(format: RemoteToolFormat): Promise<unknown>;
    call(name: string, input?: unknown, options?: RemoteCallOptions): Promise<RemoteDialectResult>;
  };
  /** Answers a question about a call, where the owner of the machine lets the brain's side do that. */
  approve(request: DataFrames['approval_request'], option: 'allow_once' | 'reject'): void;
  /** Hears of the line, and whether the machine is there. Returns a function that ends that. */
  subscribe(listener: (event: RemoteEvent) => void): () => void;
}

/** Something about the line. */
export type RemoteEvent =
  | { readonly type: 'line'; readonly status: 'online' | 'base' | 'offline' | 'stopped'; readonly text: string; readonly retryMs?: number }
  | ({ readonly type: 'machine' } & Peer);

const ResultBody = z.object({ output: z.string(), isError: z.boolean(), result: CallResult.optional() });

const ERROR_OF: Record<CallStatus, 'tool_failed' | 'cancelled' | 'unavailable' | 'timeout' | 'denied'> = {
  success: 'tool_failed',
  error: 'tool_failed',
  cancelled: 'cancelled',
  interrupted: 'unavailable',
  expired: 'timeout',
  denied: 'denied',
};

/** A failure of the line or of the far machine, as a result of a call. */
export function failedCall(tool: string, callId: string, error: SynapseError): CallResult {
  const { code, message, hint, retryable, details } = error;
  const meta = { callId, tool, durationMs: 0, summary: `${tool} → ${code}`, completion: 'failed' as const };
  return {
    ok: false,
    error: { code, message, retryable, ...(hint === undefined ? {} : { hint }), ...(details === undefined ? {} : { details }) },
    meta,
  };
}

/** Reads a result as it came over the line. */
export function readResult(tool: string, callId: string, { status, body }: FinishedCall): RemoteDialectResult {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Its hash is right, so the machine sent this; below it is said that it is no result.
    parsed = undefined;
  }
  const read = ResultBody.safeParse(parsed);
  if (!read.success) {
    const error = new SynapseError('internal', 'The machine sent a result that cannot be read.', { hint: 'Update Synapse on both sides.' });
    return { output: `Error: ${error.message}`, isError: true, result: failedCall(tool, callId, error) };
  }
  const { output, isError, result } = read.data;
  if (result !== undefined) return { output, isError, result: result as CallResult };
  // Of what did not run, or was cut off, the machine says no more than a sentence.
  const error = new SynapseError(ERROR_OF[status], output.replace(/^Error: /u, ''), { retryable: status === 'expired', details: { status } });
  return { output, isError, result: failedCall(tool, callId, error) };
}
