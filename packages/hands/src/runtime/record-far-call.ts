import type { CallResult } from '@synapse/protocol';
import { newCallState, type CallOptions, type RequestedCall } from '../call/call.ts';
import { queryAuditFolder } from '../audit/query-audit.ts';
import { recordResult, recordStart } from '../pipeline/record.ts';
import type { AnyTool } from '../tool/tool.ts';
import { copyInput } from '../call/copy-input.ts';
import type { Runtime } from './runtime.ts';

/** A call that runs in a branch. */
interface FarCall {
  readonly name: string;
  readonly input: unknown;
  readonly options: CallOptions;
  /** The folder of the log in its branch. */
  readonly log: string;
  /** Receives what the call of the program has to say about it. */
  readonly onNote: (note: string) => void;
}

/** Records a call of a program in the workspace too: its branch, and the log of that, end with the program. */
export async function recordFarCall(
  { audit, emit }: Pick<Runtime, 'audit' | 'emit'>,
  tool: AnyTool,
  { name, input, options, log, onNote }: FarCall,
  work: () => Promise<CallResult>,
): Promise<CallResult> {
  const state = newCallState();
  const call: RequestedCall = { name, input, options, callId: options.callId ?? '', startedAt: performance.now(), state };
  state.effects = tool.effects;
  recordStart(call, emit);
  const failure = audit.start({ ...call, tool, arguments: Object(copyInput(input ?? {})) });
  // What is not on record does not happen.
  if (failure !== undefined) throw failure;
  const result = await work();
  const { meta } = result;
  state.sandbox = meta.sandbox;
  // A receipt of a command is based on its record.
  if (meta.receipt !== undefined) for (const { end } of queryAuditFolder(log, { call: call.callId, limit: 1 })) state.command = end?.command;
  const unrecorded = recordResult(call, result, { audit, emit });
  if (unrecorded !== undefined) onNote(`What came of ${name} is not in the audit log. ${unrecorded.message}`);
  return result;
}
