import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  type RequestId,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { CallApproval, RetryApprovals } from './ask-by-retry.ts';
import { type ParkedCall, ParkedCalls } from './parked-calls.ts';
import { personQuestion, type QuestionModes, readFilled } from './person-question.ts';
import type { Approver } from '@synapse/hands';
import { type CallContext, type ClientTraits, clientOf, clientTraits, sdkContext } from '../call-context.ts';
import { approvalForm, readAnswer, showsAll } from './approval-form.ts';

/** Milliseconds; longer than the lifetime of any question. Hands abort through the signal before this passes. */
const NO_ANSWER_MS = 10 * 60_000;

/** What a client shows; an open console gets the rest. */
const shownBy = (client: () => ClientTraits, modes: QuestionModes): Required<Pick<Approver, 'showsAll' | 'canFill'>> => ({
  showsAll: (request) => modes.form && showsAll(request, client()),
  canFill: (form) => personQuestion(form, modes) !== undefined,
});

/**
 * Asks a client of the 2025 protocols while the call waits.
 *
 * @param callId the request that the question is about: over HTTP, the question is sent on the stream of its answer.
 * Without it, the question goes to a stream that clients need not open, and is lost
 */
function askInCall(server: Server, modes: QuestionModes, callId?: RequestId): Approver {
  // These protocols have no other way; clients of later ones are asked by `retryApproval`.
  const options = (signal: AbortSignal) => ({ signal, timeout: NO_ANSWER_MS, ...(callId === undefined ? {} : { relatedRequestId: callId }) });
  return {
    name: 'mcp',
    ...shownBy(() => clientTraits(server.getClientVersion()?.name), modes),
    async ask(request, signal) {
      const form = modes.form ? approvalForm(request, clientTraits(server.getClientVersion()?.name)) : undefined;
      if (form === undefined) return { verdict: 'later' };
      const sent = performance.now();
      const given = await server.elicitInput(form, options(signal));
      return readAnswer(given, request, performance.now() - sent);
    },
    async fill(form, signal) {
      const question = personQuestion(form, modes);
      return question === undefined ? { action: 'cancel' } : readFilled(await server.elicitInput(question, options(signal)));
    },
  };
}

/** Approval for a client that cannot ask a user. */
export const CANNOT_ASK: CallApproval = { options: {}, question: async () => undefined };
/** The first protocol version in which a client repeats a call with the answers to its questions. */
const RETRY_SINCE = '2026-07-28';

const CAPABILITIES = z.object({ elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial() });
const ENVELOPE = z.object({ [CLIENT_CAPABILITIES_META_KEY]: CAPABILITIES });

/** Returns the supported modes. A client that declares elicitation without details supports forms. */
function modesOf(capabilities: unknown): QuestionModes {
  const { data } = CAPABILITIES.safeParse(capabilities);
  const url = data?.elicitation.url !== undefined;
  return { form: data !== undefined && (data.elicitation.form !== undefined || !url), url };
}

/** Computed once per set of client capabilities; a client that initializes again sends a new set. */
const sessions = new WeakMap<object, CallApproval>();

const approvalOf = (server: Server, modes: QuestionModes, callId?: RequestId): CallApproval =>
  modes.form || modes.url ? { ...CANNOT_ASK, options: { approver: askInCall(server, modes, callId) } } : CANNOT_ASK;

/**
 * Returns how to ask a client of the 2025 protocols, which declares its capabilities once, in `initialize`.
 * Undefined before that, and for clients of a later protocol, which declare them with every request.
 */
export function sessionApproval(server: Server): CallApproval | undefined {
  const version = server.getNegotiatedProtocolVersion();
  if (version === undefined || version >= RETRY_SINCE) return undefined;
  const capabilities = server.getClientCapabilities();
  if (capabilities === undefined) return CANNOT_ASK;
  let approval = sessions.get(capabilities);
  if (approval === undefined) {
    approval = approvalOf(server, modesOf(capabilities));
    sessions.set(capabilities, approval);
  }
  return approval;
}

/** Whether questions to a client are returned as the result of a request, which the client then repeats. */
export function isAskedByRetry(server: Server): boolean {
  const version = server.getNegotiatedProtocolVersion();
  return version !== undefined && version >= RETRY_SINCE;
}

/** Returns how to ask a client of the 2025 protocols about a call that came through the SDK. */
export function callApproval(server: Server, callId: RequestId): CallApproval {
  const approval = sessionApproval(server) ?? CANNOT_ASK;
  if (approval.options.approver === undefined) return approval;
  return approvalOf(server, modesOf(server.getClientCapabilities()), callId);
}

/** Returns how to ask a client of 2026-07-28 about a call; it sends its capabilities with every request. */
async function retryApproval(retries: RetryApprovals, context: ServerContext, parked: ParkedCall): Promise<CallApproval> {
  const { data } = ENVELOPE.safeParse(context.mcpReq.envelope);
  const modes = modesOf(data?.[CLIENT_CAPABILITIES_META_KEY]);
  if (!modes.form && !modes.url) return CANNOT_ASK;
  const { canFill } = shownBy(() => clientOf(context), modes);
  const fill: Approver['fill'] = (form, signal) => parked.fill(form, modes, signal);
  if (!modes.form) {
    const pagesOnly: Approver = { name: 'mcp', ask: async () => ({ verdict: 'later' }), showsAll: () => false, canFill, fill };
    return { ...CANNOT_ASK, options: { approver: pagesOnly } };
  }
  const approval = await retries.round(context);
  const { approver } = approval.options;
  if (approver === undefined) return approval;
  return { ...approval, options: { ...approval.options, approver: { ...approver, canFill, fill } } };
}

/** Runs calls for requests of a client whose user can be asked, in any protocol version. */
export class ClientQuestions<Result extends object> {
  readonly #retries: RetryApprovals;
  readonly #parked = new ParkedCalls<Result | InputRequiredResult>();

  constructor(retries: RetryApprovals) {
    this.#retries = retries;
  }

  /** @param context of the request; its signal also aborts when the server ends */
  async answer(
    server: Server,
    context: ServerContext,
    call: (context: CallContext, approval: CallApproval) => Promise<Result | InputRequiredResult>,
  ): Promise<Result | InputRequiredResult> {
    const known = sdkContext(context, clientOf(context, server));
    if (!isAskedByRetry(server)) return await call(known, callApproval(server, context.mcpReq.id));
    const resumed = await this.#parked.resume(context);
    if (resumed !== undefined) return resumed;
    return await this.#parked.begin(context, async (parked) => {
      const approval = await retryApproval(this.#retries, context, parked);
      return await call({ ...known, signal: parked.signal, report: known.report && parked.report }, approval);
    });
  }

  /** Cancels the calls that wait for a client. */
  abandon(): void {
    this.#parked.abandon(new DOMException('The client has gone.', 'AbortError'));
  }
}
