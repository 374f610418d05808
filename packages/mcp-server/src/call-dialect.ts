import type { InputRequiredResult, JSONRPCRequest } from '@modelcontextprotocol/server';
import type { DialectHands, DialectResult } from '@synapse/hands';
import { ERROR_CODES } from '@synapse/protocol';
import type { CallApproval } from './approval/call-approval.ts';
import type { CallContext } from './call-context.ts';
import { META_CODE, type McpCallResult } from './call-result.ts';
import { questionFor, toolName, watch } from './call-tool.ts';
import { RpcError } from './rpc-error.ts';

/** What a server has that answers `tools/call` in a dialect. */
export interface DialectCaller {
  readonly dialect: DialectHands;
  /** The tools that it has and that are not offered. */
  readonly withheld: ReadonlySet<string>;
  readonly onError: (error: Error) => void;
}

/** The answer of a dialect as MCP has it: its own text, and what pictures there are. */
function dialectResult({ output, isError, result }: DialectResult): McpCallResult {
  const images = result.ok ? result.content.filter((block) => block.type === 'image') : [];
  const content: McpCallResult['content'] = [...(output === '' ? [] : [{ type: 'text' as const, text: output }]), ...images];
  if (!isError) return { content };
  return { content, isError: true, ...(result.ok ? {} : { _meta: { [META_CODE]: result.error.code } }) };
}

/** Answers `tools/call` in a dialect. A name that it does not have is answered in its words too: a model knows them. */
export async function callDialect(
  { dialect, withheld, onError }: DialectCaller,
  params: JSONRPCRequest['params'],
  context: CallContext,
  approval: CallApproval,
  sessionId: string,
): Promise<McpCallResult | InputRequiredResult> {
  const name = toolName(params);
  if (withheld.has(name)) throw new RpcError(ERROR_CODES.unknown_tool.jsonRpcCode, `The tool ${name} is not offered here.`, { code: 'unknown_tool' });
  using watching = watch(context, onError);
  const answer = await dialect.call(name, params?.['arguments'], { signal: context.signal, sessionId, ...watching.options, ...approval.options });
  return (await questionFor(answer.result, approval)) ?? dialectResult(answer);
}
