import { isSynapseError, type SynapseError } from '@synapse/protocol';
import { explain, type Explanation } from '../policy/explain.ts';
import type { Runtime } from '../runtime.ts';
import { policyCall } from './ask.ts';
import type { RequestedCall, ValidCall } from './call.ts';
import { newFacts } from './facts.ts';
import { arrival, meantCall, resolve } from './resolve.ts';
import { scope } from './scope.ts';
import { validate } from './validate.ts';

/**
 * What the policy would say to a call, without making it: the same stages up to the decision, and nothing after.
 *
 * @throws SynapseError `unknown_tool`, `invalid_arguments` for what is no call at all; `unavailable` where
 *   the hands are closed or the workspace is gone
 */
export async function explainCall(runtime: Runtime, name: string, input: unknown): Promise<Explanation> {
  const meant = meantCall(runtime.registry, name, input);
  const call: RequestedCall = {
    name: meant.tool,
    input: meant.input,
    options: {},
    callId: 'explain',
    startedAt: performance.now(),
    facts: newFacts(),
  };
  await arrival(call, runtime.registry, runtime.closing);
  const valid = validate(resolve(call, runtime.registry));
  // First: what looks at the sandbox below needs a workspace that is there.
  const outside = leavesWorkspace(valid, runtime);
  const permissions = valid.tool.permission(valid.arguments);
  const { policy } = runtime.authority;
  policy.refresh();
  const shown = explain(policy.current, await policyCall({ ...valid, permissions }, runtime.authority));
  if (outside === undefined) return shown;
  // No rule opens what lies outside; the policy is not even asked.
  const rule = { rule: 'built-in: outside the workspace', verdict: 'deny', layer: 'built-in', origin: 'Synapse' } as const;
  return { ...shown, verdict: 'deny', rule, reason: outside.message };
}

/** Why no permission could give what a call needs, where that is its place. */
function leavesWorkspace(call: ValidCall, runtime: Runtime): SynapseError | undefined {
  try {
    scope(call, runtime);
    return undefined;
  } catch (error) {
    if (isSynapseError(error) && error.code === 'outside_workspace') return error;
    throw error;
  }
}
