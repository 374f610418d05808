import { CallResult, SynapseError, type CallEvent, type ErrorCode, type Progress } from '@synapse/protocol';
import type { CallStatus, DataFrames, FinishedCall, Peer } from '@synapse/protocol/remote';
import type { Approver, CallArguments, CallData, ShownChange, UndoPlan, UndoSelection } from '@synapse/hands';
import type { ToolFormat, ToolFormats, WriteOptions } from '@synapse/hands/providers';
import * as z from 'zod';
import { parseResult } from '../parse-result.ts';
import { putTexts, TextReferences } from '../text-references.ts';
import type { RemoteAbout } from '../remote-about.ts';

/** Options of a remote call. */
export interface RemoteCallOptions {
  /** Idempotency key: a call with this id runs at most once, and its result can be requested again. Default: a random UUID. */
  readonly callId?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Receives all output of a command, in order, while it runs. What is lost on the way is read from the machine. */
  readonly onOutput?: (output: string) => void;
  readonly timeoutMs?: number;
  /** Milliseconds after which the call expires if it has not started. */
  readonly queueMs?: number;
  /** Name of the workspace. Default: that of the hands. */
  readonly workspace?: string;
  /** Whether to only describe the effects of the call. Commands then run on a copy, if the machine lets this brain run them. */
  readonly dryRun?: boolean;
  /** Answers the questions of this call, if the owner of the machine lets this device approve. Default: the approver of the connection. */
  readonly approver?: Approver;
  /** Called when the call needs approval. */
  readonly onApproval?: (request: DataFrames['approval_request']) => void;
}

/** Options of reading from the machine. */
export interface RemoteReadOptions {
  /** Gives it up. A read waits while the machine is away. */
  readonly signal?: AbortSignal;
}

/** Options of reading the output of a call. */
export interface RemoteOutputOptions extends RemoteReadOptions {
  /** The offset to read from, in bytes of UTF-8: the length of what was read before. Default: 0. */
  readonly from?: number;
}

/** Options of a forwarded port. */
export interface RemotePortOptions extends RemoteReadOptions {
  /** The port of the job. Default: the only one. */
  readonly port?: number | undefined;
  /** The port on 127.0.0.1. Default: a free one. */
  readonly localPort?: number | undefined;
}

/** A port of this machine that leads to a port of a job on the other one, until it is disposed. */
export interface RemotePort extends AsyncDisposable {
  /** On 127.0.0.1. */
  readonly port: number;
  /** The id of the job. */
  readonly job: string;
  readonly jobPort: number;
  /** Resolves when it has ended: with the reason, such as a job that ended, or undefined if it was disposed. Never rejects. */
  readonly ended: Promise<SynapseError | undefined>;
}

/** The result of a call through a dialect. */
export interface RemoteDialectResult {
  readonly output: string;
  readonly isError: boolean;
  /** The answer as a value in the format of that system, for call items that have one. */
  readonly value?: unknown;
  readonly result: CallResult;
}

/** The tools of a machine under the names and formats of another system. */
export interface RemoteDialect {
  readonly name: string;
  tools<Format extends ToolFormat>(format: Format, options?: WriteOptions & RemoteReadOptions): Promise<ToolFormats[Format]>;
  call(name: string, input?: unknown, options?: RemoteCallOptions): Promise<RemoteDialectResult>;
}

/** A call of this agent that it has no answer of yet. */
export interface OpenRemoteCall {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** When it was made: ISO 8601. */
  readonly time: string;
  /** The workspace that it named. */
  readonly workspace?: string;
}

/** Hands on another machine. */
export interface RemoteHands extends AsyncDisposable {
  /**
   * Runs a tool there. Never rejects: a failure is a result with `ok: false`, and the call waits while the connection is down.
   *
   * The types of a built-in tool are those of this version. The machine checks the input; `data` is as it sends it.
   */
  call<const Name extends string>(name: Name, ...rest: CallArguments<never, Name, RemoteCallOptions>): Promise<CallResult<CallData<never, Name>>>;
  /**
   * Returns the tools in the format of a provider or framework. The functions that run the calls of a response, such as
   * `handleOpenAiChat`, take these hands as they take local ones.
   */
  tools<Format extends ToolFormat>(format: Format, options?: WriteOptions & RemoteReadOptions): Promise<ToolFormats[Format]>;
  /** The tools in a dialect: the names and schemas of another system. */
  dialect(name: string): RemoteDialect;
  /**
   * Returns the calls without an answer: those that run, and with a `store` those from before a restart of the agent.
   *
   * @example
   * for (const { callId } of await hands.openCalls()) console.log((await hands.resume(callId)).output);
   */
  openCalls(): Promise<readonly OpenRemoteCall[]>;
  /** Waits for the answer of an open call. Never rejects: for an unknown id, it is `not_found`. A signal that aborts cancels the call. */
  resume(callId: string, options?: Pick<RemoteCallOptions, 'signal' | 'onProgress' | 'onApproval'>): Promise<CallResult>;
  /** Undoes calls, as `undo` of local hands does. The machine asks its approver about the writes. */
  undo(selection?: UndoSelection, options?: RemoteCallOptions): Promise<CallResult>;
  /** Returns what {@link RemoteHands.undo} would do, and what prevents it. @throws SynapseError if there is nothing to undo */
  planUndo(selection?: UndoSelection): Promise<UndoPlan>;
  /** Returns the changes of calls that were not undone, by file and without diffs. @throws SynapseError `not_found` for an unknown call */
  changes(selection?: Pick<UndoSelection, 'call' | 'session'>): Promise<ShownChange[]>;
  /**
   * Returns the output of one of this brain's calls so far. Progress events omit some if a command prints fast or a connection is slow; this has
   * all of it, up to 64 MiB, and then says that there was more.
   *
   * @throws SynapseError `not_found` for a call of another device, or an unknown one; `unavailable` if the machine does not answer
   */
  output(callId: string, options?: RemoteOutputOptions): Promise<string>;
  /**
   * Opens a port on 127.0.0.1 that leads to a port of a job there, over the same line. All programs of this machine can connect to it. While
   * the line is down, its connections end and it stays. Only in Node, for a paired device whose grant has `--ports`.
   *
   * @throws SynapseError `denied` without such a grant; `not_found` for a job that is unknown, has ended or does not listen there;
   *   `unavailable` if the machine or the relay is of an earlier version
   * @example
   * await using server = await hands.forwardPort('job-3f2a', { port: 3000 });
   * const page = await fetch(`http://127.0.0.1:${server.port}/`);
   */
  forwardPort(job: string, options?: RemotePortOptions): Promise<RemotePort>;
  /**
   * Returns the names of the workspaces that this device may use, in the order in which it got them.
   *
   * @throws SynapseError `unavailable` if the machine is of an earlier version
   */
  workspaces(options?: RemoteReadOptions): Promise<readonly string[]>;
  /**
   * Returns hands for another workspace of the machine, over the same line. They end with these, and disposing them does nothing.
   *
   * @example
   * const web = hands.inWorkspace('web');
   * const result = await web.call('read_file', { path: 'package.json' });
   */
  inWorkspace(name: string): RemoteHands;
  /** Returns the facts about the machine for a model: its workspace and constraints. */
  about(options?: RemoteReadOptions): Promise<RemoteAbout>;
  /**
   * Listens for questions that this device may answer, with those that wait already. A device that the owner made an approver gets those of
   * all calls. Returns a function that ends it.
   */
  questions(listener: (request: DataFrames['approval_request']) => void): () => void;
  /** Answers an approval request, if the owner of the machine lets this device approve. */
  approve(request: DataFrames['approval_request'], option: 'allow_once' | 'reject'): void;
  /** Subscribes to the events of the calls made here, and to changes of the connection and the machine. Returns a function that unsubscribes. */
  subscribe(listener: (event: RemoteEvent) => void): () => void;
}

/** An event of a call that was made here, as local hands have it, or of the connection. */
export type RemoteEvent =
  | Extract<CallEvent, { type: 'call-start' | 'call-progress' | 'call-end' }>
  /** `error`: why it stopped for good. */
  | {
      readonly type: 'line';
      readonly status: 'online' | 'base' | 'offline' | 'stopped';
      readonly text: string;
      readonly retryMs?: number;
      readonly error?: ErrorCode;
    }
  /** Messages were ignored that are not from the paired machine. Told once for each connection. */
  | { readonly type: 'warning'; readonly text: string }
  | ({ readonly type: 'machine' } & Peer);

const ResultBody = z.object({
  output: z.string(),
  isError: z.boolean(),
  value: z.unknown().optional(),
  result: z.looseObject({ ok: z.boolean() }).optional(),
  texts: TextReferences.default([]),
});

const Restored = z.object({ value: z.unknown().optional(), result: z.looseObject({ ok: z.boolean() }).optional() });

/** Restores the full result. A machine of an earlier version leaves out what is equal to the text for the model. */
function wholeBody({ output, isError, texts, ...rest }: z.infer<typeof ResultBody>, context: z.RefinementCtx): unknown {
  const same = { output, content: [{ type: 'text', text: output }] };
  try {
    const { value, result } = Restored.parse(putTexts(rest, output, texts));
    return { output, isError, value, ...(result === undefined ? {} : { result: result.ok ? { ...same, ...result } : result }) };
  } catch (error) {
    context.addIssue({ code: 'custom', message: String(error) });
    return z.NEVER;
  }
}

const Body = ResultBody.transform(wholeBody).pipe(
  z.object({ output: z.string(), isError: z.boolean(), value: z.unknown().optional(), result: CallResult.optional() }),
);

const ERROR_OF: Record<CallStatus, 'tool_failed' | 'cancelled' | 'unavailable' | 'timeout' | 'denied'> = {
  success: 'tool_failed',
  error: 'tool_failed',
  cancelled: 'cancelled',
  interrupted: 'unavailable',
  expired: 'timeout',
  denied: 'denied',
};

/** Creates a result for a failure of the connection or the remote machine. */
export function failedCall(tool: string, callId: string, error: SynapseError): CallResult {
  const { code, message, hint, retryable, details } = error;
  const meta = { callId, tool, durationMs: 0, summary: `${tool} → ${code}`, completion: 'failed' as const };
  return {
    ok: false,
    error: { code, message, retryable, ...(hint === undefined ? {} : { hint }), ...(details === undefined ? {} : { details }) },
    meta,
  };
}

/** Creates the error for a result that does not parse. */
export const unreadable = (): SynapseError =>
  new SynapseError('internal', 'The machine sent a result that cannot be read.', { hint: 'Update Synapse on both sides.' });

/** Parses a received result. */
export function readResult(tool: string, callId: string, { status, body }: FinishedCall): RemoteDialectResult {
  let parsed: unknown;
  try {
    parsed = parseResult(body);
  } catch {
    // The hash matched, so the machine sent this. The check below reports it.
    parsed = undefined;
  }
  const read = Body.safeParse(parsed);
  if (!read.success) {
    const error = unreadable();
    return { output: `Error: ${error.message}`, isError: true, result: failedCall(tool, callId, error) };
  }
  const { output, isError, value, result } = read.data;
  if (result !== undefined) return { output, isError, ...(value === undefined ? {} : { value }), result: result as CallResult };
  // For calls that did not run or were interrupted, the machine sends only a message.
  const error = new SynapseError(ERROR_OF[status], output.replace(/^Error: /u, ''), { retryable: status === 'expired', details: { status } });
  return { output, isError, result: failedCall(tool, callId, error) };
}
