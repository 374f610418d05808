import { createRequestStateCodec, inputRequired, type InputRequiredResult, type ServerContext } from '@modelcontextprotocol/server';
import type { FilledForm, PersonForm } from '@synapse/protocol';
import { randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { ProgressUpdate } from '../progress-updates.ts';
import { personQuestion, readFilled, type QuestionModes } from './person-question.ts';

/** Seconds until a question expires; the same as for every other one. */
const TTL_SECONDS = 5 * 60;
const KEY_BYTES = 32;
/** Maximum number of waiting calls; questions of further calls are cancelled. */
const MAX_PARKED = 64;
/** Name of the only input that is requested. */
const INPUT = 'answer';

const STATE = z.strictObject({ call: z.string(), question: z.string() });

interface Question {
  readonly id: string;
  readonly request: ReturnType<typeof inputRequired.elicit>;
  readonly settle: (filled: FilledForm) => void;
}

/** A call in which an upstream server can ask the user. */
export class ParkedCall {
  readonly id = randomUUID();
  readonly #controller = new AbortController();
  /** Serializes questions: an answer names only one. */
  #before: Promise<unknown> = Promise.resolve();
  #asked = Promise.withResolvers<Question>();
  #report: ((update: ProgressUpdate) => Promise<void>) | undefined;
  #letGo = (): void => {};

  /** Aborts when the client cancels the current request, or does not return in time. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves with the next question. */
  get asked(): Promise<Question> {
    return this.#asked.promise;
  }

  /** Continues the call in a new request. */
  enter({ mcpReq: { signal, notify, _meta } }: ServerContext): void {
    const progressToken = _meta?.progressToken;
    this.#report =
      progressToken === undefined ? undefined : (update) => notify({ method: 'notifications/progress', params: { progressToken, ...update } });
    const onAbort = (): void => this.end(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    this.#letGo = () => signal.removeEventListener('abort', onAbort);
  }

  /** Detaches the call from a request that was answered. */
  leave(): void {
    this.#letGo();
    this.#report = undefined;
  }

  end(reason: unknown): void {
    this.#controller.abort(reason);
  }

  readonly report = async (update: ProgressUpdate): Promise<void> => await this.#report?.(update);

  /** Answers the waiting question. */
  answer(question: Question, filled: FilledForm): void {
    this.#asked = Promise.withResolvers();
    question.settle(filled);
  }

  async fill(form: PersonForm, modes: QuestionModes, signal: AbortSignal): Promise<FilledForm> {
    const params = personQuestion(form, modes);
    if (params === undefined) return { action: 'cancel' };
    const turn = this.#before;
    const { promise, resolve } = Promise.withResolvers<FilledForm>();
    this.#before = promise;
    await turn;
    const onAbort = (): void => resolve({ action: 'cancel' });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const request = params.mode === 'url' ? inputRequired.elicitUrl({ message: params.message, url: params.url }) : inputRequired.elicit(params);
    this.#asked.resolve({ id: randomUUID(), request, settle: resolve });
    return await promise;
  }
}

interface Parked<Result> {
  readonly call: ParkedCall;
  readonly question: Question;
  readonly work: Promise<Result>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Keeps the calls that wait for an answer of the user, for clients of 2026-07-28: the server answers a request with the question,
 * and the client repeats it with the answer. The call itself keeps running, and runs once. The state in the answer is signed,
 * expires, and is valid for one answer of the same client.
 */
export class ParkedCalls<Result extends object> {
  readonly #parked = new Map<string, Parked<Result>>();
  readonly #ttlSeconds: number;
  readonly #codec: ReturnType<typeof createRequestStateCodec>;

  constructor(ttlSeconds = TTL_SECONDS) {
    this.#ttlSeconds = ttlSeconds;
    this.#codec = createRequestStateCodec({
      key: randomBytes(KEY_BYTES),
      ttlSeconds,
      bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo?.clientId ?? ''}`,
    });
  }

  /** Starts a call. The request ends with its result or its first question. */
  async begin(context: ServerContext, start: (call: ParkedCall) => Promise<Result>): Promise<Result | InputRequiredResult> {
    const call = new ParkedCall();
    call.enter(context);
    return await this.#next(call, start(call), context);
  }

  /** Continues the call that an answer belongs to. Undefined if the request carries no such answer. */
  async resume(context: ServerContext): Promise<Result | InputRequiredResult | undefined> {
    const wire: unknown = context.mcpReq.requestState();
    if (typeof wire !== 'string') return undefined;
    let state: z.output<typeof STATE>;
    try {
      state = STATE.parse(await this.#codec.verify(wire, context));
    } catch {
      // The state belongs to an approval question, or is invalid: `RetryApprovals` decides which.
      return undefined;
    }
    const parked = this.#parked.get(state.call);
    if (parked?.question.id !== state.question) return undefined;
    this.#parked.delete(state.call);
    clearTimeout(parked.timer);
    parked.call.enter(context);
    parked.call.answer(parked.question, readFilled(context.mcpReq.inputResponses?.[INPUT]));
    return await this.#next(parked.call, parked.work, context);
  }

  /** Cancels all waiting calls. */
  abandon(reason: unknown): void {
    for (const { call, timer } of this.#parked.values()) {
      clearTimeout(timer);
      call.end(reason);
    }
    this.#parked.clear();
  }

  async #next(call: ParkedCall, work: Promise<Result>, context: ServerContext): Promise<Result | InputRequiredResult> {
    for (;;) {
      const next = await Promise.race([work.then((result) => ({ result })), call.asked.then((question) => ({ question }))]);
      if ('result' in next) {
        call.leave();
        return next.result;
      }
      const { question } = next;
      if (this.#parked.size < MAX_PARKED) return await this.#park(call, question, work, context);
      call.answer(question, { action: 'cancel' });
    }
  }

  async #park(call: ParkedCall, question: Question, work: Promise<Result>, context: ServerContext): Promise<InputRequiredResult> {
    const requestState = await this.#codec.mint({ call: call.id, question: question.id }, context);
    call.leave();
    const timer = setTimeout(() => {
      this.#parked.delete(call.id);
      call.answer(question, { action: 'cancel' });
      call.end(new DOMException('No answer in time.', 'TimeoutError'));
    }, this.#ttlSeconds * 1_000);
    timer.unref();
    this.#parked.set(call.id, { call, question, work, timer });
    // If the client does not return, nothing else handles a failure.
    work.catch(() => {});
    return inputRequired({ inputRequests: { [INPUT]: question.request }, requestState });
  }
}
