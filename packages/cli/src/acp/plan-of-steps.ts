import type { ReasoningProtocol } from '@synapse/brain';
import type { PlanEntry } from '@agentclientprotocol/sdk';

/**
 * The steps of a protocol as a plan.
 *
 * @param current the step that the model works on, from 1; 0 before the first one, and more than there are after the last one
 */
export function planOfSteps({ steps }: Pick<ReasoningProtocol, 'steps'>, current: number): PlanEntry[] {
  const status = (index: number): PlanEntry['status'] => (index < current ? 'completed' : index === current ? 'in_progress' : 'pending');
  return steps.map(({ title, optional }, index) => ({ content: title, priority: optional ? 'low' : 'medium', status: status(index + 1) }));
}
