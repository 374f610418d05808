import type { ApprovalAnswer, ApprovalRequest, Approver } from '@synapse/hands';
import type { DataFrames } from '@synapse/protocol/remote';
import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** Milliseconds after which an unanswered question counts as denied. */
const EXPIRES_MS = 600_000;

/** Forwards questions of the pipeline. */
export interface QuestionDesk {
  /** Whether someone else than the machine may answer. Takes the tool that runs: a dialect has other names for it. */
  mayAnswer(tool: string): boolean;
  /** Notifies the brain's side that a call waits for approval. */
  ask(request: DataFrames['approval_request'], answer: (option: 'allow_once' | 'reject') => void): void;
  /** The question was answered or withdrawn. */
  close(): void;
}

/**
 * A hash that names one question, and that only this machine can make. The relay sees it, beside what is sealed: from the hash of the
 * arguments alone it could find them by trying.
 */
const unguessable = (fingerprint: string): string => createHash('sha256').update(randomBytes(32)).update(fingerprint).digest('hex');

/**
 * Creates an approver that asks at the machine, if it has an approver, and elsewhere, if the owner allows it for the tool. The first decision
 * counts. Without a person to ask, the call ends and says that it needs approval.
 */
export function remoteApprover(callId: string, desk: QuestionDesk, local: Approver | undefined): Approver {
  const fill = local?.fill?.bind(local);
  return {
    name: 'remote',
    ...(fill === undefined ? {} : { fill }),
    // A question that has no approver here goes to the approver of the hands, if they have one.
    showsAll: ({ tool }) => local !== undefined || desk.mayAnswer(tool),
    async ask(question: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
      if (!desk.mayAnswer(question.tool)) return (await local?.ask(question, signal)) ?? { verdict: 'later' };
      const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
      const done = new AbortController();
      const either = AbortSignal.any([signal, done.signal]);
      const deny = (reason: string) => (): void => resolve({ verdict: 'deny', reason });
      const timer = setTimeout(deny('The question was not answered in time.'), EXPIRES_MS);
      signal.addEventListener('abort', deny('The question was withdrawn.'), { once: true });
      const request: DataFrames['approval_request'] = {
        type: 'approval_request',
        approval_id: randomUUID(),
        tool_call_id: callId,
        args_hash: unguessable(question.fingerprint),
        tool: question.tool.slice(0, 160),
        reason: question.reason,
        effects: [...question.effects],
        expires_at: Date.now() + EXPIRES_MS,
      };
      desk.ask(request, (option) =>
        resolve(option === 'allow_once' ? { verdict: 'allow', scope: 'once' } : { verdict: 'deny', reason: "Denied on the agent's side." }),
      );
      const decide = (answer: ApprovalAnswer): void => {
        // No person is at the machine, such as at a console that is not open.
        if (answer.verdict !== 'later') resolve(answer);
      };
      void local?.ask(question, either).then(decide, deny('The question could not be shown.'));
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        done.abort();
        desk.close();
      }
    },
  };
}
