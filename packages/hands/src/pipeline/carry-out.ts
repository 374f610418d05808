import { SynapseError, isSynapseError } from '@synapse/protocol';
import type { ToolContext } from '../tool-context.ts';
import type { BoundCall, ExecutedCall, Rehearsed } from './call.ts';

/** Does exactly what a person saw and said yes to. What the call answered then is its answer. */
export async function carryOut(call: BoundCall, { effect, powers, executed }: Rehearsed, { workspace }: ToolContext): Promise<ExecutedCall> {
  if (effect.blocked !== undefined) throw notApplied(effect.blocked);
  try {
    if (effect.steps.length > 0) await workspace.carryOut(effect.steps, (sum) => powers.blobs.read(sum));
  } catch (error) {
    if (!isSynapseError(error) || error.code !== 'conflict') throw error;
    const { path, problem } = error.details ?? {};
    throw typeof path === 'string' && typeof problem === 'string' ? notApplied(`${path} ${problem}`) : error;
  }
  call.facts.undo = 'covered';
  call.facts.appliedFrom = 'copy';
  return { ...executed, ...call };
}

/** What was shown cannot be done any more, and nothing else may be. */
export function notApplied(why: string): SynapseError {
  return new SynapseError('conflict', `What was tried was not applied: ${why}. Nothing was changed.`, {
    hint: 'Repeat the call: it is tried anew on what is there now.',
    retryable: true,
  });
}
