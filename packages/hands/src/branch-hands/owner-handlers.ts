import { SynapseError } from '@synapse/protocol';
import type { ApprovalAnswer, ApprovalRequest } from '../approval/approver.ts';
import type { Handlers, Link } from './link.ts';
import type { AT_OWNER, IN_BRANCH } from './methods.ts';
import type { NearCalls } from './near-calls.ts';
import { PowerlessContext, runToolCall, type NearToolCall } from './near-tools.ts';

/** What the process that opened a branch answers with. */
export interface OwnerParts {
  /** The name of the branch. */
  readonly branch: string;
  readonly calls: NearCalls;
  /** The calls of its own tools that run, by their keys. */
  readonly toolCalls: ReadonlyMap<number, NearToolCall>;
  readonly link: () => Link<typeof AT_OWNER, typeof IN_BRANCH> | undefined;
  /** Receives each answer to a question. */
  readonly onAnswer: (request: Pick<ApprovalRequest, 'tool' | 'proposals'>, answer: ApprovalAnswer) => void;
}

/** Answers the process of a branch: its questions, and the calls of tools that only this process has. */
export function ownerHandlers({ branch, calls, toolCalls, link, onAnswer }: OwnerParts): Handlers<typeof AT_OWNER> {
  return {
    async ask({ key, question, request, canTry }, { signal, tell }) {
      const open = link();
      const tryOut =
        canTry && open !== undefined ? async (stop: AbortSignal) => await open.request('tryOut', { question }, { signal: stop }) : undefined;
      const answered = await calls.ask({ key, request, tryOut }, signal, tell);
      onAnswer(request, answered.answer);
      return answered;
    },
    async fill({ key, form }, { signal }) {
      return await calls.fill(key, form, signal);
    },
    async run({ key, projectId, callId, limits, shell, accepted }, { signal, tell }) {
      const call = toolCalls.get(key);
      if (call === undefined) throw new SynapseError('cancelled', 'The call has ended.');
      const { sessionId, mode, stepId } = calls.optionsOf(key);
      const ctx = new PowerlessContext(call.tool.name, {
        origin: { callId, projectId, sessionId, mode, currentStepId: stepId, branch },
        signal,
        limits,
        shell,
        progress: tell,
        fillForm: async (form) => await calls.fill(key, form, signal),
      });
      return await runToolCall(call, accepted, ctx);
    },
  };
}
