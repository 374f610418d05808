import { createRequestStateCodec, inputRequired, type InputRequiredResult, type ServerContext } from '@modelcontextprotocol/server';
import type { ApprovalRequest, CallOptions } from '@synapse/hands';
import { ERROR_CODES } from '@synapse/protocol';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { RpcError } from '../rpc-error.ts';
import { clientOf } from '../call-context.ts';
import { approvalForm, readAnswer, showsAll } from './approval-form.ts';

/** How the approval of one call is asked for. */
export interface CallApproval {
  /** Options for the call; empty if the client cannot ask its user. */
  readonly options: Pick<CallOptions, 'approver' | 'asksFirst'>;
  /** The result to return in place of `approval_required`; undefined to return that error. */
  question(): Promise<InputRequiredResult | undefined>;
}

/** Seconds until a question expires; the same as for every other approver. */
const TTL_SECONDS = 5 * 60;
const KEY_BYTES = 32;
/** Name of the only input that is requested. */
const INPUT = 'approval';

/** What was shown, when (milliseconds since 1970), and a nonce so that an answer counts once. */
const STATE = z.strictObject({ shown: z.string(), nonce: z.string(), at: z.number() });

/** Hashes everything a user saw of a question: an answer is valid for exactly that. */
function shownHash({ fingerprint, reason, effects, proposals }: ApprovalRequest): string {
  return hash('sha256', JSON.stringify([fingerprint, reason, effects, proposals.map(({ rules }) => rules)]), 'hex');
}

/** Asks clients of the 2026 protocol: a call returns a question, and the client repeats the call with the answer. */
export interface RetryApprovals {
  /** @throws RpcError if the state is forged or expired */
  round(context: ServerContext): Promise<CallApproval>;
}

/**
 * The state that travels with a question is signed with a key of this process, expires, and is valid for one
 * answer: it approves what was shown, once, and no other arguments or calls.
 *
 * @param ttlSeconds for tests
 */
export function retryApprovals(ttlSeconds = TTL_SECONDS): RetryApprovals {
  const codec = createRequestStateCodec({
    key: randomBytes(KEY_BYTES),
    ttlSeconds,
    // Over HTTP, the state belongs to the holder of the token it was issued for.
    bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo?.clientId ?? ''}`,
  });
  /** Nonces of answered questions, kept until their state expires; roughly in order of expiry. */
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
      const isAnswered = (request: ApprovalRequest): boolean => response !== undefined && state?.shown === shownHash(request);
      return {
        options: {
          // The call ends with the question, so a command cannot keep its changes pending. A second run may change something else.
          asksFirst: 'changes',
          approver: {
            name: 'mcp',
            // What it answers now, it has shown.
            showsAll: (request) => isAnswered(request) || showsAll(request, clientOf(context)),
            async ask(request) {
              if (state !== undefined && isAnswered(request) && consume(state.nonce)) {
                return readAnswer(response, request, Date.now() - state.at);
              }
              // Other arguments than the ones shown, or an answer that was used before: ask again.
              open = request;
              return { verdict: 'later' };
            },
          },
        },
        async question() {
          const form = open === undefined ? undefined : approvalForm(open, clientOf(context));
          if (open === undefined || form === undefined) return undefined;
          const requestState = await codec.mint({ shown: shownHash(open), nonce: randomUUID(), at: Date.now() }, context);
          return inputRequired({ inputRequests: { [INPUT]: inputRequired.elicit(form) }, requestState });
        },
      };
    },
  };
}
