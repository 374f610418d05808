import { randomUUID } from 'node:crypto';
import { notify } from '../notify.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from './approver.ts';

/** Questions that wait at once. Past that the next are denied: nobody reads so many. */
const MAX_PENDING = 100;

/** A question that waits for a person. */
export interface PendingApproval {
  /** Cannot be guessed: whoever answers has seen the question. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly request: ApprovalRequest;
}

/** Holds questions until a door answers them. */
export interface ApprovalQueue extends Approver {
  /** What waits, the oldest first. */
  pending(): readonly PendingApproval[];
  /**
   * Answers a question. The first answer counts.
   *
   * @param fingerprint of the request that was shown; an answer to another one is none
   * @returns false where no such question waits (any more)
   */
  answer(id: string, fingerprint: string, answer: ApprovalAnswer): boolean;
  /** Hears whenever a question comes or goes. Returns a function that ends that. */
  subscribe(listener: () => void): () => void;
}

interface Waiting extends PendingApproval {
  readonly settle: (answer: ApprovalAnswer) => void;
}

/**
 * An approver that any door can answer, at any time before the call ends.
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
        // Gone before anybody hears of it, so that no second answer finds it.
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
