import type { ApprovalAnswer, Approver } from './approver.ts';
import type { FilledForm } from '@synapse/protocol';
import { firstAnswer } from './first-answer.ts';

/** Asks several approvers at once, such as a terminal and a console. The first decision counts; `later` and `cancel` are no decisions. */
export function firstApprover(approvers: readonly Approver[]): Approver {
  return {
    name: approvers.map(({ name }) => name).join(' or '),
    async ask(request, signal) {
      const asks = approvers.map((approver) => async (stop: AbortSignal): Promise<ApprovalAnswer | undefined> => {
        const answer = await approver.ask(request, stop);
        // A withdrawn approver has decided nothing.
        return answer.verdict === 'later' || stop.aborted ? undefined : answer;
      });
      return (await firstAnswer(asks, signal)) ?? { verdict: 'later' };
    },
    async fill(form, signal) {
      const asks = approvers.map((approver) => async (stop: AbortSignal): Promise<FilledForm | undefined> => {
        const filled = await approver.fill?.(form, stop);
        return filled?.action === 'cancel' || stop.aborted ? undefined : filled;
      });
      return (await firstAnswer(asks, signal)) ?? { action: 'cancel' };
    },
  };
}
