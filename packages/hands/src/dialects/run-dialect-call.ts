import { SynapseError, toSynapseError, type CallError, type CallFailure, type CallResult } from '@synapse/protocol';
import type { CallOptions } from '../call/call.ts';
import { parseInput } from '../pipeline/validate.ts';
import { nearest } from '../text/nearest.ts';
import type { CanonicalCall, Dialect, DialectAnswer, DialectResult, DialectTool } from './dialect.ts';
import { localizeHints } from './localize-hints.ts';
import { FailedStep } from './steps.ts';

/** What a dialect runs its calls with. */
export interface DialectRunner {
  /** Runs a canonical call through the pipeline. */
  readonly call: (name: string, input: unknown, options: CallOptions) => Promise<CallResult>;
  /** Records a call that failed before it reached a canonical tool, and returns the failure. */
  readonly refuse: (name: string, input: unknown, options: CallOptions, error: SynapseError) => Promise<CallFailure>;
}

function callOptions(dialect: Dialect, tool: DialectTool, options: CallOptions, call: CanonicalCall, index: number): CallOptions {
  const timeoutMs = Math.min(tool.timeoutMs ?? Number.POSITIVE_INFINITY, options.timeoutMs ?? Number.POSITIVE_INFINITY);
  return {
    ...options,
    // Call ids are unique: each further call of a sequence gets a suffix.
    ...(options.callId === undefined || index === 0 ? {} : { callId: `${options.callId}.${index + 1}` }),
    ...(dialect.asksFirst === true && tool.permission === 'ask' ? { asksFirst: 'all' as const } : {}),
    ...(dialect.shell === undefined ? {} : { shell: dialect.shell }),
    // A model without job tools could not return to a job.
    ...(dialect.jobs === true ? {} : { foreground: true }),
    ...(Number.isFinite(timeoutMs) ? { timeoutMs } : {}),
    ...(call.tool === tool.uses[0] ? { calledAs: tool.name } : {}),
    ...(call.limits === undefined && options.limits === undefined ? {} : { limits: { ...call.limits, ...options.limits } }),
  };
}

/** Records a refused call and returns its failure in the format of the dialect. */
async function refused(
  runner: DialectRunner,
  name: string,
  input: unknown,
  options: CallOptions,
  error: SynapseError,
  word: (error: CallError) => DialectAnswer,
): Promise<DialectResult> {
  const result = await runner.refuse(name, input, options, error);
  return { ...word(result.error), result };
}

function unknownTool(dialect: Dialect, name: string): SynapseError {
  const names = dialect.tools.map((tool) => tool.name);
  const near = nearest(name, names);
  return new SynapseError('unknown_tool', `Unknown tool in ${dialect.name}: ${JSON.stringify(name.slice(0, 64))}`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(', ')}? ` : ''}The tools are: ${names.join(', ')}.`,
    details: { nearest: near },
  });
}

/**
 * Runs a call of a dialect: parses its input, runs its canonical calls one after the other and returns the
 * answer in the format of the dialect. Never throws.
 */
export async function runDialectCall(
  runner: DialectRunner,
  dialect: Dialect,
  name: string,
  input: unknown,
  options: CallOptions,
): Promise<DialectResult> {
  const tool = dialect.tools.find((one) => one.name === name) ?? dialect.tools.find((one) => one.olderNames?.includes(name));
  if (tool === undefined) return await refused(runner, name, input, options, unknownTool(dialect, name), (error) => dialect.unknownTool(name, error));
  let last: CallResult | undefined;
  try {
    const steps = tool.run(parseInput(tool, input));
    let step = steps.next();
    for (let index = 0; step.done !== true; index += 1) {
      last = await runner.call(step.value.tool, step.value.input, callOptions(dialect, tool, options, step.value, index));
      step = steps.next(localizeHints(last, dialect, tool));
    }
    if (last === undefined) throw new TypeError(`${dialect.name}/${name} gave an answer without a call.`);
    return { ...step.value, result: last };
  } catch (thrown) {
    if (thrown instanceof FailedStep && last !== undefined) return { ...dialect.failure(thrown.error, tool), result: last };
    const error = toSynapseError(thrown);
    return await refused(runner, name, input, options, error, (shown) =>
      error.code === 'invalid_arguments' ? dialect.invalidInput(shown, tool) : dialect.failure(shown, tool),
    );
  }
}
