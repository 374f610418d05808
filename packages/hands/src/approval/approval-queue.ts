import { randomUUID } from 'node:crypto';
import { notify } from '../events/notify.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from './approver.ts';

/** Maximum number of waiting questions. Further questions are denied. */
const MAX_PENDING = 100;

/** A question that waits for an answer. */
export interface PendingApproval {
  /** Cannot be guessed, so only a client that got the question can answer it. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly request: ApprovalRequest;
}

/** Holds questions until a client answers them. */
export interface ApprovalQueue extends Approver {
  /** Returns the waiting questions, oldest first. */
  pending(): readonly PendingApproval[];
  /**
   * Answers a question. The first answer counts.
   *
   * @param fingerprint of the request that was shown; an answer to a different request is ignored
   * @returns false if no such question is waiting
   */
  answer(id: string, fingerprint: string, answer: ApprovalAnswer): boolean;
  /** Calls the listener when a question is added or removed. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void;
}

interface Waiting extends PendingApproval {
  readonly settle: (answer: ApprovalAnswer) => void;
}

/**
 * Creates an approver whose questions any client can answer, at any time before the call ends.
 *
 * @example
 * const queue = createApprovalQueue();
 * await using hands = await createHands({ workspace: '.', approver: queue });
 * queue.subscribe(() => {
 *   for (const { id, request } of queue.pending()) queue.answer(id, request.fingerprint, { verdict: 'allow', scope: 'once' });
 * });
 * const result = await hands.call('run_command', { command: 'npm test' });
 */
export function createApprovalQueue(): ApprovalQueue {
  const waiting = new Map<string, Waiting>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) notify(listener);
  };
  return {
    name: 'queue',
    async ask(request, signal) {
      if (waiting.size >= MAX_PENDING) return { verdict: 'deny', reason: 'Too many questions wait for an answer already.' };
      const id = randomUUID();
      const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
      const settle = (answer: ApprovalAnswer): void => {
        // Removed before listeners are called, so that a second answer does not find it.
        if (!waiting.delete(id)) return;
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
        changed();
      };
      const onAbort = (): void => settle({ verdict: 'deny', reason: 'The question was withdrawn.' });
      waiting.set(id, { id, askedAt: Date.now(), request, settle });
      if (signal.aborted) onAbort();
      else {
        signal.addEventListener('abort', onAbort, { once: true });
        changed();
      }
      return promise;
    },
    pending: () => Array.from(waiting.values(), ({ id, askedAt, request }) => ({ id, askedAt, request })),
    answer(id, fingerprint, answer) {
      const found = waiting.get(id);
      if (found === undefined || found.request.fingerprint !== fingerprint) return false;
      found.settle(answer);
      return true;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
