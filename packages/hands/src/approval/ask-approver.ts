import { SynapseError } from '@synapse/protocol';
import type { ApprovalAnswer, ApprovalRequest, Approver } from './approver.ts';

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
  const { promise: ended, resolve: end, reject: cancel } = Promise.withResolvers<AskedAnswer>();
  const timer = setTimeout(() => end({ verdict: 'deny', reason: 'Nobody answered in time.', timedOut: true }), timeoutMs);
  const onAbort = (): void => cancel(new SynapseError('cancelled', `${request.tool} was cancelled while it waited for approval.`));
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
  if (signals.some(({ aborted }) => aborted)) onAbort();
  const asked = Promise.resolve()
    .then(() => approver.ask(request, controller.signal))
    // What went wrong in the approver is its own; the call is not allowed because of it.
    .catch((): AskedAnswer => ({ verdict: 'deny', reason: 'The question could not be shown to anybody.' }));
  try {
    return await Promise.race([asked, ended]);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    controller.abort();
  }
}
