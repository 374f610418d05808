import { randomUUID } from 'node:crypto';
import { toSynapseError, type CallFailure, type CallResult, type SynapseError } from '@synapse/protocol';
import type { ToolRegistry } from '../registry.ts';
import type { Runtime } from '../runtime.ts';
import { answerDryRun } from './answer-dry-run.ts';
import { authorize, type Foresight } from './authorize.ts';
import { beginRecord } from './begin-record.ts';
import { bound } from './bound.ts';
import type { CallOptions, RequestedCall } from './call.ts';
import { carryOut } from './carry-out.ts';
import { execute } from './execute.ts';
import { newFacts } from './facts.ts';
import { recordFailure, recordStart, recordSuccess } from './record.ts';
import { foreseeLosses, rehearse } from './rehearse.ts';
import { arrival, meantCall, resolve } from './resolve.ts';
import { scope } from './scope.ts';
import { shape } from './shape.ts';
import { traced } from '../tracing/traced-call.ts';
import { validate } from './validate.ts';

/** Names of tools have 64 characters at most; what is longer is told in part, in results, events and records alike. */
const MAX_NAME_CHARACTERS = 128;

/** A name as it can be told, whatever a caller without types handed over. */
function nameOf(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, MAX_NAME_CHARACTERS).toWellFormed() : `(${typeof name})`;
}

/** Takes a call in, and tells that it begins. */
function request(runtime: Runtime, name: string, input: unknown, options: CallOptions): RequestedCall {
  const call: RequestedCall = {
    name: nameOf(name),
    input,
    options,
    callId: options.callId ?? randomUUID(),
    startedAt: performance.now(),
    facts: newFacts(),
  };
  recordStart(call, runtime.emit);
  return call;
}

/** Records a call that ended before it reached a tool, such as one that a dialect cannot read. */
export function refuseCall(runtime: Runtime, name: string, input: unknown, options: CallOptions, error: SynapseError): CallFailure {
  return recordFailure(request(runtime, name, input, options), error, runtime);
}

/** Runs a call. Never throws: every failure becomes a result. */
export async function runCall(
  runtime: Runtime,
  name: string,
  input: unknown,
  options: CallOptions,
  registry: ToolRegistry = runtime.registry,
): Promise<CallResult> {
  const meant = meantCall(registry, name, input);
  const call = request(runtime, meant.tool, meant.input, options);
  return await traced(call, runtime.tracing, () => runStages(runtime, call, registry));
}

/**
 * The stages of every call, in order. Each takes what the one before made, so none can be left out or
 * moved without a type error.
 */
async function runStages(runtime: Runtime, call: RequestedCall, registry: ToolRegistry): Promise<CallResult> {
  try {
    const coming = arrival(call, registry, runtime.closing);
    // Only then: a call of a tool that is there is written down before anything else can happen.
    if (coming !== undefined) await coming;
    const resolved = resolve(call, registry);
    const valid = validate(resolved);
    const scoped = scope(valid, runtime);
    const recorded = beginRecord(scoped, runtime.audit);
    // What was tried, for a person or for a dry run, is read until the answer is made.
    await using tried = new AsyncDisposableStack();
    const foresight: Foresight = {
      losses: (allowed) => foreseeLosses(allowed, runtime),
      rehearse: (allowed) => {
        const running = rehearse(allowed, runtime);
        // Also of a try that nobody waits for any more: no call ends before all that it started is gone.
        tried.defer(async () => {
          const [ended] = await Promise.allSettled([running]);
          if (ended.status === 'fulfilled') await ended.value[Symbol.asyncDispose]();
        });
        return running;
      },
    };
    const authorized = await authorize(recorded, runtime.authority, foresight);
    if (call.options.dryRun === true) {
      const answer = answerDryRun(await foresight.rehearse(authorized));
      return recordSuccess(shape(answer, runtime.limitsOf(call.options), runtime.spills), runtime);
    }
    using limited = bound(authorized, runtime.closing);
    const context = runtime.context(limited);
    const executed = authorized.tried === undefined ? await execute(limited, context) : await carryOut(limited, authorized.tried, context);
    const shaped = shape(executed, context.limits, runtime.spills);
    return recordSuccess(shaped, runtime);
  } catch (error) {
    return recordFailure(call, toSynapseError(error), runtime);
  }
}
