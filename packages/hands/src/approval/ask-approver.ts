import { SynapseError } from '@synapse/protocol';
import type { ApprovalAnswer, ApprovalRequest, Approver, Trial } from './approver.ts';

/** Milliseconds until an unanswered question is denied. */
export const APPROVAL_TIMEOUT_MS = 5 * 60_000;

/** Milliseconds between reminders that a question waits. Clients with a time-out of 60 s that progress extends go on waiting. */
const SHOWN_AGAIN_MS = 15_000;

/** Takes out of a question what a person must not see. What is asked about stays as it is. */
export type ShownQuestion = (request: ApprovalRequest) => ApprovalRequest | Promise<ApprovalRequest>;

/** How a question is asked. */
export interface AskOptions {
  /** What the approver gets of the question: every question to a person passes it, wherever that person is. */
  readonly shown: ShownQuestion;
  /** Milliseconds until it is denied. Default: {@link APPROVAL_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** Called with the place where a person sees the question, once they do, and again while it waits. */
  readonly onShown?: (place: string) => void;
}

/** How a question ended; `unanswered` if the user did not deny it. */
export type AskedAnswer = ApprovalAnswer & { readonly unanswered?: boolean };

/**
 * Asks, and settles whatever the approver does. The first answer counts, an error is a denial, a time-out is
 * a denial, and a cancelled call does not wait.
 */
export async function askApprover(
  approver: Approver,
  request: ApprovalRequest,
  signals: readonly AbortSignal[],
  { shown, timeoutMs = APPROVAL_TIMEOUT_MS, onShown }: AskOptions,
): Promise<AskedAnswer> {
  let shownAgain: NodeJS.Timeout | undefined;
  const tell = (place: string): void => {
    if (ended || shownAgain !== undefined || onShown === undefined) return;
    onShown(place);
    shownAgain = setInterval(onShown, SHOWN_AGAIN_MS, place);
  };
  const controller = new AbortController();
  const { promise: ending, resolve: end, reject: cancel } = Promise.withResolvers<AskedAnswer>();
  const wait = (): NodeJS.Timeout => setTimeout(() => end({ verdict: 'deny', reason: 'No answer in time.', unanswered: true }), timeoutMs);
  let timer = wait();
  let ended = false;
  const { tryOut } = request;
  // The question cannot be answered during the dry run, so the time-out restarts when the effect is shown.
  const tryOutOfTime = async (signal: AbortSignal): Promise<Trial> => {
    if (tryOut === undefined) throw new TypeError('This question has no dry run.');
    clearTimeout(timer);
    try {
      return await tryOut(AbortSignal.any([signal, controller.signal]));
    } finally {
      if (!ended) timer = wait();
    }
  };
  const asking = tryOut === undefined ? request : { ...request, tryOut: tryOutOfTime };
  const onAbort = (): void => cancel(new SynapseError('cancelled', `${request.tool} was cancelled while it waited for approval.`));
  for (const signal of signals) signal.addEventListener('abort', onAbort, { once: true });
  if (signals.some(({ aborted }) => aborted)) onAbort();
  const asked = Promise.resolve()
    .then(async () => await approver.ask(await shown(asking), controller.signal, tell))
    // Errors of the approver are not reported further, but they never allow the call.
    .catch((): AskedAnswer => ({ verdict: 'deny', reason: 'The question could not be shown.', unanswered: true }));
  try {
    return await Promise.race([asked, ending]);
  } finally {
    ended = true;
    clearTimeout(timer);
    clearInterval(shownAgain);
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    controller.abort();
  }
}
