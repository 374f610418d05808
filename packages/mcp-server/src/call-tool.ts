import type { JSONRPCRequest, ServerContext } from '@modelcontextprotocol/server';
import type { Hands, ToolRegistry } from '@synapse/hands';
import { ERROR_CODES, toSynapseError, type CallError } from '@synapse/protocol';
import { callResult, type McpCallResult } from './call-result.ts';
import { progressUpdates } from './progress-updates.ts';
import { RpcError } from './rpc-error.ts';

/** The protocol wants an unknown tool as an error of the request, not as the result of a call. */
function unknownTool({ code, hint, message, details }: Pick<CallError, 'code' | 'message'> & { hint?: unknown; details?: unknown }): RpcError {
  const data = { code, ...(details === undefined ? {} : { details }) };
  return new RpcError(ERROR_CODES[code].jsonRpcCode, typeof hint === 'string' ? `${message} ${hint}` : message, data);
}

/** What a server has that answers `tools/call`. */
export interface ToolCaller {
  readonly hands: Hands;
  /** Present where not all tools of the hands are offered. */
  readonly offered: ToolRegistry | undefined;
  readonly onError: (error: Error) => void;
}

/** Answers `tools/call`. The arguments go to the pipeline as they came: it checks them, in words that a model can act on. */
export async function callTool(
  { hands, offered, onError }: ToolCaller,
  params: JSONRPCRequest['params'],
  { mcpReq }: ServerContext,
): Promise<McpCallResult> {
  const name = params?.['name'];
  if (typeof name !== 'string') throw new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, 'tools/call needs params.name, the name of a tool.');
  try {
    offered?.get(name);
  } catch (error) {
    throw unknownTool(toSynapseError(error));
  }
  const progressToken = mcpReq._meta?.progressToken;
  using updates = progressUpdates((update) => {
    if (progressToken === undefined) return;
    // A client that left hears nothing, and that is no failure of the call.
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...update } }).catch(onError);
  });
  const watching = progressToken === undefined ? {} : { onProgress: updates.report };
  const result = await hands.call(name, params?.['arguments'], { signal: mcpReq.signal, ...watching });
  if (!result.ok && result.error.code === 'unknown_tool') throw unknownTool(result.error);
  return callResult(result);
}
