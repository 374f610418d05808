import { RequestError } from '@agentclientprotocol/sdk';
import type { ApprovalAnswer, Approver } from '@synapse/hands';
import type { Face } from './face.ts';
import { permissionQuestion, readChoice } from './permission-question.ts';
import type { KnownTool } from './tool-calls.ts';

/** Codes of an editor that has no questions: it cannot have shown this one. */
const NO_QUESTIONS = -32_601;

interface Asking {
  readonly face: Pick<Face, 'ask'>;
  readonly sessionId: string;
  readonly root: string;
  /** What is known about a tool, by its canonical name. */
  readonly known: (tool: string) => KnownTool | undefined;
  /** Shows everything that happened before the question. */
  readonly flush: () => Promise<void>;
}

/** Asks the person at the editor. An editor that disappears has denied the call; one that cannot ask leaves it to an open console. */
export function clientApprover({ face, sessionId, root, known, flush }: Asking): Approver {
  return {
    name: 'editor',
    async ask(request, signal): Promise<ApprovalAnswer> {
      const question = permissionQuestion(request, known(request.tool), root);
      if (question === undefined) return { verdict: 'later' };
      await flush();
      try {
        const choice = await face.ask(sessionId, question, signal);
        return signal.aborted ? { verdict: 'deny' } : readChoice(choice, question);
      } catch (error) {
        if (error instanceof RequestError && error.code === NO_QUESTIONS) return { verdict: 'later' };
        return { verdict: 'deny', reason: 'The editor could not show the question.' };
      }
    },
  };
}
