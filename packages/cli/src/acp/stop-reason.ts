import type { StopReason } from '@agentclientprotocol/sdk';
import type { AgentResult, AgentStatus } from '@synapse/brain';
import { SynapseError } from '@synapse/protocol';

/** `error`: the model could not answer, which an editor shows as a failed prompt. */
const REASONS: Record<AgentStatus, StopReason | 'error'> = {
  done: 'end_turn',
  limit: 'max_turn_requests',
  loop: 'max_turn_requests',
  refused: 'refusal',
  cancelled: 'cancelled',
  paused: 'error',
  failed: 'error',
};

/**
 * How a prompt ended.
 *
 * @throws SynapseError `unavailable` if the model could not answer
 */
export function stopReason({ status, reason = 'The model did not answer.' }: Pick<AgentResult, 'status' | 'reason'>): StopReason {
  const found = REASONS[status];
  if (found !== 'error') return found;
  throw new SynapseError('unavailable', reason, status === 'paused' ? { hint: 'The session is kept: send "continue" to go on.' } : {});
}
