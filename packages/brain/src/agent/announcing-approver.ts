import type { Approver } from '@synapse/hands';
import type { AgentEventListener } from './agent-event.ts';

/** Wraps an approver, so that its questions and answers are also emitted as events. */
export function announcing(approver: Approver, emit: AgentEventListener): Approver {
  const fill = approver.fill?.bind(approver);
  return {
    name: approver.name,
    ...(fill === undefined ? {} : { fill }),
    async ask(request, signal) {
      emit({ type: 'approval-request', request });
      const answer = await approver.ask(request, signal);
      emit({ type: 'approval-answer', callId: request.callId, verdict: answer.verdict });
      return answer;
    },
  };
}
