import type { RequestId, Server } from '@modelcontextprotocol/server';
import type { Approver } from '@synapse/hands';
import { approvalForm, readAnswer } from './approval-form.ts';

/** Longer than any question may wait: the hands end it before, by the signal. */
const NO_ANSWER_MS = 10 * 60_000;

/**
 * Asks a client of the 2025 protocols, while the call waits.
 *
 * @param callId of the request that the question is about: over HTTP it goes where the answer of that will go. Without
 * it, it would go to a stream that clients need not open, and nobody would hear it
 */
export function askInCall(server: Server, callId?: RequestId): Approver {
  return {
    name: 'mcp',
    async ask(request, signal) {
      const form = approvalForm(request);
      if (form === undefined) return { verdict: 'later' };
      // It is what those protocols have; clients of the later one are asked by `askByRetry`.
      const given = await server.elicitInput(form, { signal, timeout: NO_ANSWER_MS, ...(callId === undefined ? {} : { relatedRequestId: callId }) });
      return readAnswer(given, request);
    },
  };
}
