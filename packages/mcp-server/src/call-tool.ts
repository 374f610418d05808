import type { InputRequiredResult, JSONRPCRequest } from '@modelcontextprotocol/server';
import type { CallOptions } from '@synapse/hands';
import type { ServedHands } from '@synapse/hands/internal';
import type { ToolRegistry } from '@synapse/hands/tools';
import { type CallError, type CallResult, ERROR_CODES, toSynapseError } from '@synapse/protocol';
import type { CallApproval } from './approval/ask-by-retry.ts';
import type { CallContext } from './call-context.ts';
import { callResult, dialectResult, type McpCallResult } from './call-result.ts';
import { progressUpdates } from './progress-updates.ts';
import { RpcError } from './rpc-error.ts';
import type { ToolCaller } from '@synapse/hands/providers';

/** Returns the error for an unknown tool. The protocol requires a request error, not a call result. */
function unknownTool({ code, hint, message, details }: Pick<CallError, 'code' | 'message'> & { hint?: unknown; details?: unknown }): RpcError {
  const data = { code, ...(details === undefined ? {} : { details }) };
  return new RpcError(ERROR_CODES[code].jsonRpcCode, typeof hint === 'string' ? `${message} ${hint}` : message, data);
}

/** Returns the name of the requested tool. */
function toolName(params: JSONRPCRequest['params']): string {
  const name = params?.['name'];
  if (typeof name === 'string') return name;
  throw new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, 'tools/call needs params.name, the name of a tool.');
}

/** Forwards the progress of a call to a client that asked for it. */
export function watch(
  { report }: Pick<CallContext, 'report'>,
  onError: (error: Error) => void,
): Disposable & { options: Pick<CallOptions, 'onProgress'> } {
  if (report === undefined) return { options: {}, [Symbol.dispose]() {} };
  // Sending to a disconnected client fails; the call does not.
  const updates = progressUpdates((update) => void report(update).catch(onError));
  return { options: { onProgress: updates.report }, [Symbol.dispose]: () => updates[Symbol.dispose]() };
}

/** Returns the question that a call ended with, if the client can ask its user. */
export async function questionFor(result: CallResult, approval: CallApproval): Promise<InputRequiredResult | undefined> {
  return !result.ok && result.error.code === 'approval_required' ? await approval.question() : undefined;
}

/** Dependencies of {@link callTool}. */
interface OwnCaller {
  readonly hands: ServedHands;
  /** Set if only some tools of the hands are offered. */
  readonly offered: ToolRegistry | undefined;
  /** Maps a tool name on the wire to the internal name. */
  readonly ownName: (name: string) => string;
  /** The upstream MCP server of a tool, by internal name; undefined for our tools. */
  readonly upstreamOf: (name: string) => string | undefined;
  readonly onError: (error: Error) => void;
}

/** Answers `tools/call`. Arguments go to the pipeline unchecked: its errors are written for models. */
export async function callTool(
  { hands, offered, ownName, upstreamOf, onError }: OwnCaller,
  params: JSONRPCRequest['params'],
  context: CallContext,
  approval: CallApproval,
  sessionId: string,
): Promise<McpCallResult | InputRequiredResult> {
  const name = ownName(toolName(params));
  try {
    offered?.get(name);
  } catch (error) {
    throw unknownTool(toSynapseError(error));
  }
  using watching = watch(context, onError);
  const result = await hands.call(name, params?.['arguments'], {
    signal: context.signal,
    sessionId,
    ...(context.client.readerLimits === undefined ? {} : { readerLimits: context.client.readerLimits }),
    ...watching.options,
    ...approval.options,
  });
  if (!result.ok && result.error.code === 'unknown_tool') throw unknownTool(result.error);
  return (await questionFor(result, approval)) ?? callResult(result, upstreamOf(result.meta.tool));
}

/** Dependencies of {@link callOther}. */
interface OtherCaller {
  readonly hands: Pick<ToolCaller, 'call'>;
  /** Maps a tool name on the wire to the internal name; undefined if the tool is not offered. */
  readonly ownName: (name: string) => string | undefined;
  readonly onError: (error: Error) => void;
}

/**
 * Answers `tools/call` in a dialect, or with a call on another machine, which decides what is allowed. A dialect also answers
 * unknown names: models know its wording.
 */
export async function callOther(
  { hands, ownName, onError }: OtherCaller,
  params: JSONRPCRequest['params'],
  context: CallContext,
  approval: CallApproval,
  sessionId: string,
): Promise<McpCallResult | InputRequiredResult> {
  const given = toolName(params);
  const name = ownName(given);
  if (name === undefined) throw unknownTool({ code: 'unknown_tool', message: `Unknown tool: ${given.slice(0, 64)}` });
  using watching = watch(context, onError);
  const options = { signal: context.signal, sessionId, ...watching.options, ...approval.options };
  const answer = await hands.call(name, params?.['arguments'], options);
  const result = 'ok' in answer ? answer : answer.result;
  const question = result === undefined ? undefined : await questionFor(result, approval);
  return question ?? ('ok' in answer ? callResult(answer) : dialectResult(answer));
}
