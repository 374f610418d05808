import type { ApprovalAnswer, Approver } from './approver.ts';
import type { FilledForm } from '@synapse/protocol';

/** The reason for withdrawing a question from the other places that show it. */
export const ANSWERED_ELSEWHERE = new DOMException('The question was answered elsewhere.', 'AbortError');

/**
 * Asks in several places at once. The first answer counts, and the question is withdrawn from the other places.
 *
 * @param asks each settles when its signal is aborted; resolves to undefined if that place has no answer
 * @returns undefined if no place has an answer
 */
export async function firstAnswer<Answer>(
  asks: ReadonlyArray<(signal: AbortSignal) => Promise<Answer | undefined>>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const controller = new AbortController();
  const stop = AbortSignal.any([signal, controller.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>();
  const waits = asks.map(async (ask) => {
    const answer = await ask(stop);
    if (answer !== undefined) resolve(answer);
  });
  Promise.all(waits).then(() => resolve(undefined), reject);
  try {
    return await promise;
  } finally {
    controller.abort(ANSWERED_ELSEWHERE);
    await Promise.allSettled(waits);
  }
}

/** Asks several approvers at once, such as a terminal and a console. The first decision counts; `later` and `cancel` are no decisions. */
export function firstApprover(approvers: readonly Approver[]): Approver {
  return {
    name: approvers.map(({ name }) => name).join(' or '),
    async ask(request, signal, onShown) {
      const asks = approvers.map((approver) => async (stop: AbortSignal): Promise<ApprovalAnswer | undefined> => {
        const answer = await approver.ask(request, stop, onShown);
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
