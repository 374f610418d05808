import type { Approver } from '@synapse/hands';
import type { AgentEventListener } from './agent-event.ts';

/** An approver whose questions and answers are events too. */
export function announcing(approver: Approver, emit: AgentEventListener): Approver {
  return {
    name: approver.name,
    async ask(request, signal) {
      emit({ type: 'approval-request', request });
      const answer = await approver.ask(request, signal);
      emit({ type: 'approval-answer', callId: request.callId, verdict: answer.verdict });
      return answer;
    },
  };
}
