import { randomUUID } from 'node:crypto';
import { toSynapseError, type CallResult } from '@synapse/protocol';
import type { Runtime } from '../runtime.ts';
import { authorize } from './authorize.ts';
import { beginRecord } from './begin-record.ts';
import { bound } from './bound.ts';
import type { CallOptions, RequestedCall } from './call.ts';
import { execute } from './execute.ts';
import { newFacts } from './facts.ts';
import { recordFailure, recordStart, recordSuccess } from './record.ts';
import { resolve } from './resolve.ts';
import { scope } from './scope.ts';
import { shape } from './shape.ts';
import { validate } from './validate.ts';

/**
 * The stages of every call, in order. Each takes what the one before made, so none can be left out or
 * moved without a type error. Never throws: every failure becomes a result.
 */
export async function runCall(runtime: Runtime, name: string, input: unknown, options: CallOptions): Promise<CallResult> {
  const call: RequestedCall = {
    name,
    input,
    options,
    callId: options.callId ?? randomUUID(),
    startedAt: performance.now(),
    facts: newFacts(),
  };
  recordStart(call, runtime.emit);
  try {
    const resolved = resolve(call, runtime.registry);
    const valid = validate(resolved);
    const scoped = scope(valid, runtime);
    const recorded = beginRecord(scoped, runtime.audit);
    const authorized = await authorize(recorded, runtime.authority);
    using limited = bound(authorized, runtime.closing);
    const context = runtime.context(limited);
    const executed = await execute(limited, context);
    const shaped = shape(executed, context.limits, runtime.spills);
    return recordSuccess(shaped, runtime);
  } catch (error) {
    return recordFailure(call, toSynapseError(error), runtime);
  }
}
