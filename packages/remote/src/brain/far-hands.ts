import type { Approver, CallOptions } from '@synapse/hands';
import { ANSWERED_ELSEWHERE } from '@synapse/hands/internal';
import type { ToolCaller } from '@synapse/hands/providers';
import type { ToolDescription } from '@synapse/hands/tools';
import { errorText, SynapseError, type CallResult } from '@synapse/protocol';
import { sha256, type DataFrames } from '@synapse/protocol/remote';
import type { RemoteAbout } from '../remote-about.ts';
import { MAX_ID } from './hash-arguments.ts';
import { questionOf } from './ask-approver.ts';
import { Described } from './remote-tools.ts';
import { failedCall, type RemoteCallOptions, type RemoteDialectResult, type RemoteHands } from './remote-hands.ts';

/** Remote hands with the interface of local ones, for agents and servers. */
export interface FarHands extends ToolCaller {
  readonly about: RemoteAbout;
  tools(format?: 'json-schema'): readonly ToolDescription[];
  /** Runs a call. Returns the result in the dialect's form, if any, and in canonical form. */
  answer(name: string, input: unknown, options?: CallOptions): Promise<RemoteDialectResult>;
}

const LATER = new SynapseError('approval_required', 'The call needs approval.');

/**
 * Opens remote hands for agents and servers. Reads their tools once. Waits for the machine if it is offline.
 *
 * @param dialect of the tools. Default: the machine's
 * @throws SynapseError `invalid_arguments` for a dialect that the machine does not have; `cancelled`
 */
export async function openFarHands(hands: RemoteHands, dialect?: string, signal?: AbortSignal): Promise<FarHands> {
  const cancelled = (): SynapseError => new SynapseError('cancelled', 'Stopped before the machine answered.');
  if (signal?.aborted === true) throw cancelled();
  const reading = signal === undefined ? {} : { signal };
  const [about, written] = await Promise.all([
    hands.about(reading),
    dialect === undefined ? hands.tools('json-schema', reading) : hands.dialect(dialect).tools('json-schema', reading),
  ]).catch((error: unknown) => {
    throw signal?.aborted === true ? cancelled() : error;
  });
  const tools = Described.parse(written);

  const spoken = dialect ?? about.dialect;
  const answer: FarHands['answer'] = async (name, input, options = {}) => {
    const later = new AbortController();
    const ended = new AbortController();
    const { approver, callId, onProgress, onOutput, timeoutMs, dryRun } = options;
    const signals = [later.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const onApproval = (request: DataFrames['approval_request']): void => {
      // If this brain's answer does not count, the machine or another device decides.
      if (approver !== undefined && request.may_decide === true) void decide(approver, request).catch(() => hands.approve(request, 'reject'));
    };
    const decide = async (asked: Approver, request: DataFrames['approval_request']): Promise<void> => {
      const said = await asked.ask(questionOf(request, input, options), AbortSignal.any([...signals, ended.signal]));
      // Answered at the machine, or by another device.
      if (ended.signal.aborted) return;
      if (said.verdict === 'later') later.abort();
      else hands.approve(request, said.verdict === 'allow' ? 'allow_once' : 'reject');
    };
    const given: RemoteCallOptions = {
      signal: AbortSignal.any(signals),
      onApproval,
      ...(callId === undefined ? {} : { callId: callId.length > MAX_ID ? sha256(callId) : callId }),
      ...(onProgress === undefined ? {} : { onProgress }),
      ...(onOutput === undefined ? {} : { onOutput }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(dryRun === undefined ? {} : { dryRun }),
    };
    const made = await run(name, input, given).finally(() => ended.abort(ANSWERED_ELSEWHERE));
    // The approver answered `later`: the caller repeats the call after the decision.
    if (!later.signal.aborted || made.result.ok) return made;
    return { output: `Error: ${LATER.message}`, isError: true, result: failedCall(name, made.result.meta.callId, LATER) };
  };
  const run = async (name: string, input: unknown, options: RemoteCallOptions): Promise<RemoteDialectResult> => {
    if (spoken !== undefined) return await hands.dialect(spoken).call(name, input, options);
    const result = await hands.call(name, input, options);
    return { output: result.ok ? result.output : errorText(result.error), isError: !result.ok, result };
  };
  const call = async (name: string, input?: unknown, options?: CallOptions): Promise<CallResult | RemoteDialectResult> => {
    const made = await answer(name, input, options);
    return spoken === undefined ? made.result : made;
  };
  return { about, tools: () => tools, answer, call };
}
