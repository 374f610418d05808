import { createRequestStateCodec, inputRequired, type ServerContext } from '@modelcontextprotocol/server';
import type { ApprovalRequest } from '@synapse/hands';
import { ERROR_CODES } from '@synapse/protocol';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { RpcError } from '../rpc-error.ts';
import type { CallApproval } from './call-approval.ts';
import { approvalForm, readAnswer } from './approval-form.ts';

/** Seconds in which a question may be answered, as with every other approver. */
const TTL_SECONDS = 5 * 60;
const KEY_BYTES = 32;
/** The one input that is asked for. */
const INPUT = 'approval';

const STATE = z.strictObject({ shown: z.string(), nonce: z.string() });

/** All that a person saw of a question: an answer is for exactly this. */
function shownHash({ fingerprint, reason, effects, proposals }: ApprovalRequest): string {
  return hash('sha256', JSON.stringify([fingerprint, reason, effects, proposals.map(({ rules }) => rules)]), 'hex');
}

/** Asks clients of the 2026 protocol, where a call ends with a question and is made again with the answer. */
export interface RetryApprovals {
  /** @throws RpcError for a state that is not ours, or too old */
  round(context: ServerContext): Promise<CallApproval>;
}

/**
 * The state that travels with a question is signed with a key of this process, expires, and is good for one
 * answer: it approves what was shown, once, and neither other arguments nor another call.
 *
 * @param ttlSeconds for tests
 */
export function retryApprovals(ttlSeconds = TTL_SECONDS): RetryApprovals {
  const codec = createRequestStateCodec({
    key: randomBytes(KEY_BYTES),
    ttlSeconds,
    // Over HTTP the state is of whoever bears the token that it was given to.
    bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo?.clientId ?? ''}`,
  });
  /** Answered questions, until their state expires anyway; in the order in which they do, nearly. */
  const answered = new Map<string, number>();
  const consume = (nonce: string): boolean => {
    const now = Date.now();
    for (const [old, expired] of answered) if (expired < now) answered.delete(old);
    if (answered.has(nonce)) return false;
    answered.set(nonce, now + (ttlSeconds + 1) * 1_000);
    return true;
  };

  return {
    async round(context) {
      const { mcpReq } = context;
      const wire: unknown = mcpReq.requestState();
      let state: z.infer<typeof STATE> | undefined;
      if (wire !== undefined) {
        try {
          state = STATE.parse(await codec.verify(typeof wire === 'string' ? wire : '', context));
        } catch (error) {
          const refused = new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, 'Invalid or expired requestState.');
          refused.cause = error;
          throw refused;
        }
      }
      const response = mcpReq.inputResponses?.[INPUT];
      let open: ApprovalRequest | undefined;
      return {
        options: {
          // The call ends with the question, so a command cannot wait with what it changed. Run again, it may change another thing.
          asksFirst: 'changes',
          approver: {
            name: 'mcp',
            async ask(request) {
              if (state !== undefined && response !== undefined && state.shown === shownHash(request) && consume(state.nonce)) {
                return readAnswer(response, request);
              }
              // Other arguments than those that were shown, or an answer that counted already: a new question.
              open = request;
              return { verdict: 'later' };
            },
          },
        },
        async question() {
          const form = open === undefined ? undefined : approvalForm(open);
          if (open === undefined || form === undefined) return undefined;
          const requestState = await codec.mint({ shown: shownHash(open), nonce: randomUUID() }, context);
          return inputRequired({ inputRequests: { [INPUT]: inputRequired.elicit(form) }, requestState });
        },
      };
    },
  };
}
