import type { InputRequiredResult, JSONRPCRequest } from '@modelcontextprotocol/server';
import type { CallOptions, Hands, ToolRegistry } from '@synapse/hands';
import { ERROR_CODES, toSynapseError, type CallError, type CallResult } from '@synapse/protocol';
import type { CallApproval } from './approval/call-approval.ts';
import type { CallContext } from './call-context.ts';
import { callResult, type McpCallResult } from './call-result.ts';
import { progressUpdates } from './progress-updates.ts';
import { RpcError } from './rpc-error.ts';

/** The protocol wants an unknown tool as an error of the request, not as the result of a call. */
function unknownTool({ code, hint, message, details }: Pick<CallError, 'code' | 'message'> & { hint?: unknown; details?: unknown }): RpcError {
  const data = { code, ...(details === undefined ? {} : { details }) };
  return new RpcError(ERROR_CODES[code].jsonRpcCode, typeof hint === 'string' ? `${message} ${hint}` : message, data);
}

/** The name of the tool that a request is about. */
export function toolName(params: JSONRPCRequest['params']): string {
  const name = params?.['name'];
  if (typeof name === 'string') return name;
  throw new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, 'tools/call needs params.name, the name of a tool.');
}

/** Passes on the progress of a call to a client that asked for it. */
export function watch({ report }: CallContext, onError: (error: Error) => void): Disposable & { options: Pick<CallOptions, 'onProgress'> } {
  if (report === undefined) return { options: {}, [Symbol.dispose]() {} };
  // A client that left hears nothing, and that is no failure of the call.
  const updates = progressUpdates((update) => void report(update).catch(onError));
  return { options: { onProgress: updates.report }, [Symbol.dispose]: () => updates[Symbol.dispose]() };
}

/** The question that a call ended with, where the client can put it to its person. */
export async function questionFor(result: CallResult, approval: CallApproval): Promise<InputRequiredResult | undefined> {
  return !result.ok && result.error.code === 'approval_required' ? await approval.question() : undefined;
}

/** What a server has that answers `tools/call`. */
export interface ToolCaller {
  readonly hands: Hands;
  /** Present where not all tools of the hands are offered. */
  readonly offered: ToolRegistry | undefined;
  /** The tool's own name, of the one on the wire. */
  readonly ownName: (name: string) => string;
  readonly onError: (error: Error) => void;
}

/** Answers `tools/call`. The arguments go to the pipeline as they came: it checks them, in words that a model can act on. */
export async function callTool(
  { hands, offered, ownName, onError }: ToolCaller,
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
  const result = await hands.call(name, params?.['arguments'], { signal: context.signal, sessionId, ...watching.options, ...approval.options });
  if (!result.ok && result.error.code === 'unknown_tool') throw unknownTool(result.error);
  return (await questionFor(result, approval)) ?? callResult(result);
}
