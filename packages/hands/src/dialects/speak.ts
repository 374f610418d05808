import { SynapseError, toSynapseError, type CallError, type CallFailure, type CallResult } from '@synapse/protocol';
import type { CallOptions } from '../pipeline/call.ts';
import { parseInput } from '../pipeline/validate.ts';
import { nearest } from '../text/nearest.ts';
import type { CanonicalCall, Dialect, DialectAnswer, DialectResult, DialectTool } from './dialect.ts';
import { inTongue } from './in-tongue.ts';
import { FailedStep } from './steps.ts';

/** What a dialect is spoken through. */
export interface Speaking {
  /** Runs a canonical call through the pipeline. */
  readonly call: (name: string, input: unknown, options: CallOptions) => Promise<CallResult>;
  /** Records a call that never got as far as a canonical tool, and gives its failure. */
  readonly refuse: (name: string, input: unknown, options: CallOptions, error: SynapseError) => CallFailure;
}

function callOptions(dialect: Dialect, tool: DialectTool, options: CallOptions, call: CanonicalCall, index: number): CallOptions {
  const timeoutMs = Math.min(tool.timeoutMs ?? Number.POSITIVE_INFINITY, options.timeoutMs ?? Number.POSITIVE_INFINITY);
  return {
    ...options,
    // An id names one call for ever: the second call of a sequence is another one.
    ...(options.callId === undefined || index === 0 ? {} : { callId: `${options.callId}.${index + 1}` }),
    ...(dialect.asksFirst === true && tool.permission === 'ask' ? { asksFirst: 'all' as const } : {}),
    ...(Number.isFinite(timeoutMs) ? { timeoutMs } : {}),
    ...(call.limits === undefined && options.limits === undefined ? {} : { limits: { ...call.limits, ...options.limits } }),
  };
}

/** A failure in the words of the dialect, and as it is canonically. */
function refused(
  speaking: Speaking,
  name: string,
  input: unknown,
  options: CallOptions,
  error: SynapseError,
  word: (error: CallError) => DialectAnswer,
): DialectResult {
  const result = speaking.refuse(name, input, options, error);
  return { ...word(result.error), result };
}

function unknownTool(dialect: Dialect, name: string): SynapseError {
  const names = dialect.tools.map((tool) => tool.name);
  const near = nearest(name, names);
  return new SynapseError('unknown_tool', `There is no tool named ${JSON.stringify(name.slice(0, 64))} in ${dialect.name}.`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''}The tools are: ${names.join(', ')}.`,
    details: { nearest: near },
  });
}

/**
 * Runs a call of a dialect: parses its input, makes the canonical calls it asks for one after the
 * other, and gives the answer in the words of the dialect. Never throws.
 */
export async function speak(speaking: Speaking, dialect: Dialect, name: string, input: unknown, options: CallOptions): Promise<DialectResult> {
  const tool = dialect.tools.find((one) => one.name === name);
  if (tool === undefined) return refused(speaking, name, input, options, unknownTool(dialect, name), (error) => dialect.unknownTool(name, error));
  let last: CallResult | undefined;
  try {
    const steps = tool.run(parseInput(tool, input));
    let step = steps.next();
    for (let index = 0; step.done !== true; index += 1) {
      last = await speaking.call(step.value.tool, step.value.input, callOptions(dialect, tool, options, step.value, index));
      step = steps.next(inTongue(last, dialect, tool));
    }
    if (last === undefined) throw new TypeError(`${dialect.name}/${name} gave an answer without a call.`);
    return { ...step.value, result: last };
  } catch (thrown) {
    if (thrown instanceof FailedStep && last !== undefined) return { ...dialect.failure(thrown.error, tool), result: last };
    const error = toSynapseError(thrown);
    return refused(speaking, name, input, options, error, (shown) =>
      error.code === 'invalid_arguments' ? dialect.invalidInput(shown, tool) : dialect.failure(shown, tool),
    );
  }
}
