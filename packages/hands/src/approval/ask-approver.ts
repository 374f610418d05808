import { SynapseError } from '@synapse/protocol';
import type { ApprovalAnswer, ApprovalRequest, Approver, Trial } from './approver.ts';

/** A question that nobody answers is denied after this time, in milliseconds. */
export const APPROVAL_TIMEOUT_MS = 5 * 60_000;

/** How a question ended. */
export type AskedAnswer = ApprovalAnswer & { readonly timedOut?: boolean };

/**
 * Asks, and settles whatever the approver does: an answer counts once, a throw is a denial, silence is one
 * after a time, and a cancelled call waits for nobody.
 */
export async function askApprover(
  approver: Approver,
  request: ApprovalRequest,
  signals: readonly AbortSignal[],
  timeoutMs = APPROVAL_TIMEOUT_MS,
): Promise<AskedAnswer> {
  const controller = new AbortController();
  const { promise: ending, resolve: end, reject: cancel } = Promise.withResolvers<AskedAnswer>();
  const wait = (): NodeJS.Timeout => setTimeout(() => end({ verdict: 'deny', reason: 'Nobody answered in time.', timedOut: true }), timeoutMs);
  let timer = wait();
  let ended = false;
  const { tryOut } = request;
  // While the call is tried nobody can answer, so that the time begins anew when there is something to look at.
  const tryOutOfTime = async (signal: AbortSignal): Promise<Trial> => {
    if (tryOut === undefined) throw new TypeError('There is nothing to try.');
    clearTimeout(timer);
    try {
      return await tryOut(AbortSignal.any([signal, controller.signal]));
    } finally {
      if (!ended) timer = wait();
    }
  };
  const shown = tryOut === undefined ? request : { ...request, tryOut: tryOutOfTime };
  const onAbort = (): void => cancel(new SynapseError('cancelled', `${request.tool} was cancelled while it waited for approval.`));
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
  if (signals.some(({ aborted }) => aborted)) onAbort();
  const asked = Promise.resolve()
    .then(() => approver.ask(shown, controller.signal))
    // What went wrong in the approver is its own; the call is not allowed because of it.
    .catch((): AskedAnswer => ({ verdict: 'deny', reason: 'The question could not be shown to anybody.' }));
  try {
    return await Promise.race([asked, ending]);
  } finally {
    ended = true;
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    controller.abort();
  }
}
