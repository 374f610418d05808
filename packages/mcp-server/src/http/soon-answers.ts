import type { Server } from '@modelcontextprotocol/server';
import type { Approver } from '@synapse/hands';
import { askInCall } from '../approval/ask-in-call.ts';
import { sessionApproval } from '../approval/client-approvals.ts';
import { errorOf } from '../direct-calls.ts';
import type { McpService } from '../open-service.ts';
import { isPlainCall, type PlainCall } from '../plain-call.ts';
import type { StartedCalls } from '../started-calls.ts';

/** A call that takes longer, in milliseconds, is answered on a stream, which a client can come back to. */
const SOON_MS = 25;

/** An answer as JSON-RPC has it. */
export type SoonAnswer = { readonly jsonrpc: '2.0'; readonly id: string | number } & ({ readonly result: object } | { readonly error: object });

/** What {@link SoonAnswers} are made of. */
export interface SoonAnswersParts {
  readonly server: Server;
  readonly service: Pick<McpService, 'answer'>;
  readonly started: StartedCalls;
  readonly sessionId: string;
  /** Aborted when the server ends. */
  readonly ending: AbortSignal | undefined;
}

/** Whether a client takes both forms of an answer, and what it sends is a plain call that asks for no progress. */
export function mayAnswerSoon(body: unknown, accept: string | undefined): body is PlainCall {
  if (accept?.includes('application/json') !== true || !accept.includes('text/event-stream')) return false;
  return isPlainCall(body) && body.params._meta?.progressToken === undefined;
}

/**
 * Answers the plain calls of a session that are done in no time with one piece of JSON. The SDK's way, with a stream and
 * events that are kept for each call, costs five times as much as reading a small file with all that is checked and
 * recorded. A call that takes longer, or has a question to the person, is handed on to the SDK as it runs.
 */
export class SoonAnswers {
  readonly #parts: SoonAnswersParts;

  constructor(parts: SoonAnswersParts) {
    this.#parts = parts;
  }

  /** Starts a call. Undefined where the SDK has to answer: the call may run by then, and the SDK's server goes on with it. */
  async answer({ id, params }: PlainCall, protocol: string | undefined): Promise<SoonAnswer | undefined> {
    const { server, service, started, sessionId, ending } = this.#parts;
    const approval = sessionApproval(server);
    if (approval === undefined || protocol !== server.getNegotiatedProtocolVersion()) return undefined;
    const controller = new AbortController();
    const late = Promise.withResolvers<undefined>();
    const taken = Promise.withResolvers<void>();
    // A question goes where the answer of its call will go, and that must be there.
    const approver: Approver = {
      name: 'mcp',
      async ask(request, signal) {
        late.resolve(undefined);
        await taken.promise;
        return await askInCall(server, id).ask(request, signal);
      },
    };
    const signal = ending === undefined ? controller.signal : AbortSignal.any([controller.signal, ending]);
    const answering = service.answer(
      params,
      { signal, report: undefined },
      approval.options.approver === undefined ? approval : { ...approval, options: { approver } },
      sessionId,
    );
    const timer = setTimeout(() => late.resolve(undefined), SOON_MS);
    const forget = started.add(id, { answering, abort: () => controller.abort(), onTaken: taken.resolve });
    const soon = answering.then(
      (result): SoonAnswer => ({ jsonrpc: '2.0', id, result }),
      (error: unknown): SoonAnswer => ({ jsonrpc: '2.0', id, error: errorOf(error) }),
    );
    const answer = await Promise.race([soon, late.promise]);
    clearTimeout(timer);
    if (answer !== undefined) forget();
    return answer;
  }
}
