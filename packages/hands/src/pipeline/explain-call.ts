import { isSynapseError } from '@synapse/protocol';
import { explain, type Explanation } from '../policy/explain.ts';
import type { Runtime } from '../runtime.ts';
import type { RequestedCall } from './call.ts';
import { newFacts } from './facts.ts';
import { arrival, meantCall, resolve } from './resolve.ts';
import { scope } from './scope.ts';
import { validate } from './validate.ts';

/**
 * What the policy would say to a call, without making it: the same stages up to the decision, and nothing after.
 *
 * @throws SynapseError `unknown_tool`, `invalid_arguments` for what is no call at all
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
  const permissions = valid.tool.permission(valid.arguments);
  const { policy, isConfined } = runtime.authority;
  policy.refresh();
  const confined = permissions.some(({ action }) => action === 'exec') && (await isConfined());
  const shown = explain(policy.current, { tool: valid.tool.name, permissions, arguments: valid.arguments, confined });
  try {
    scope(valid, runtime);
    return shown;
  } catch (error) {
    if (!isSynapseError(error) || error.code !== 'outside_workspace') throw error;
    // No rule opens what lies outside; the policy is not even asked.
    const rule = { rule: 'built-in: outside the workspace', verdict: 'deny', layer: 'built-in', origin: 'Synapse' } as const;
    return { ...shown, verdict: 'deny', rule, reason: error.message };
  }
}
