import type { Server } from '@modelcontextprotocol/server';
import type { Approver } from '@synapse/hands';
import { callApproval, sessionApproval } from '../approval/client-approvals.ts';
import { clientTraits } from '../call-context.ts';
import type { McpService } from '../open-service.ts';
import { isPlainCall, type PlainCall } from '../parse-message.ts';
import { errorOf } from '../rpc-error.ts';
import type { StartedCalls } from '../started-calls.ts';

/** Milliseconds. A longer call is answered on a stream, which a client can resume. */
const SOON_MS = 25;

/** A JSON-RPC response. */
export type SoonAnswer = { readonly jsonrpc: '2.0'; readonly id: string | number } & ({ readonly result: object } | { readonly error: object });

/** Dependencies of {@link SoonAnswers}. */
export interface SoonAnswersParts {
  readonly server: Server;
  readonly service: Pick<McpService, 'answer'>;
  readonly started: StartedCalls;
  readonly sessionId: string;
  /** Aborts when the server ends. */
  readonly ending: AbortSignal | undefined;
}

/** Whether a client accepts both forms of a response, and the body is a plain call without progress. */
export function mayAnswerSoon(body: unknown, accept: string | undefined): body is PlainCall {
  if (accept?.includes('application/json') !== true || !accept.includes('text/event-stream')) return false;
  return isPlainCall(body) && body.params._meta?.progressToken === undefined;
}

/**
 * Answers the plain calls of a session that end quickly with a single JSON body. The SDK's way, a stream and stored
 * events for each call, costs five times as much as reading a small file with all checks and records.
 * A call that takes longer, or asks the user, is handed over to the SDK while it runs.
 */
export class SoonAnswers {
  readonly #parts: SoonAnswersParts;

  constructor(parts: SoonAnswersParts) {
    this.#parts = parts;
  }

  /** Starts a call. Undefined if the SDK has to answer: the call may already run, and the SDK's server continues it. */
  async answer({ id, params }: PlainCall, protocol: string | undefined): Promise<SoonAnswer | undefined> {
    const { server, service, started, sessionId, ending } = this.#parts;
    const approval = sessionApproval(server);
    if (approval === undefined || protocol !== server.getNegotiatedProtocolVersion()) return undefined;
    const controller = new AbortController();
    const late = Promise.withResolvers<undefined>();
    const taken = Promise.withResolvers<void>();
    // A question is sent on the stream of the call's answer, so that stream must exist.
    const own = approval.options.approver === undefined ? undefined : callApproval(server, id).options.approver;
    const onStream = async (): Promise<void> => {
      late.resolve(undefined);
      await taken.promise;
    };
    const approver: Approver | undefined = own && {
      ...own,
      ask: async (...question) => await onStream().then(() => own.ask(...question)),
      ...(own.fill === undefined
        ? {}
        : { fill: async (...question) => await onStream().then(() => own.fill?.(...question) ?? { action: 'cancel' }) }),
    };
    // `AbortSignal.any` takes 10 µs.
    const abort = (): void => controller.abort();
    if (ending?.aborted === true) abort();
    else ending?.addEventListener('abort', abort, { once: true });
    const answering = service.answer(
      params,
      { signal: controller.signal, report: undefined, client: clientTraits(server.getClientVersion()?.name) },
      approver === undefined ? approval : { ...approval, options: { approver } },
      sessionId,
    );
    const timer = setTimeout(() => late.resolve(undefined), SOON_MS);
    const forget = started.add(id, { answering, abort, onTaken: taken.resolve });
    const forgetEnding = (): void => ending?.removeEventListener('abort', abort);
    answering.then(forgetEnding, forgetEnding);
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
