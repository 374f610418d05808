import type { Server } from '@modelcontextprotocol/server';
import type { Approver } from '@synapse/hands';
import { approvalForm, readAnswer } from './approval-form.ts';

/** Longer than any question may wait: the hands end it before, by the signal. */
const NO_ANSWER_MS = 10 * 60_000;

/** Asks a client of the 2025 protocols, while the call waits. */
export function askInCall(server: Server): Approver {
  return {
    name: 'mcp',
    async ask(request, signal) {
      const form = approvalForm(request);
      if (form === undefined) return { verdict: 'later' };
      // It is what those protocols have; clients of the later one are asked by `askByRetry`.
      return readAnswer(await server.elicitInput(form, { signal, timeout: NO_ANSWER_MS }), request);
    },
  };
}
