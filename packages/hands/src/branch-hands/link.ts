import { CallError, SynapseError, toSynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { notify } from '../events/notify.ts';

/** A request that a process answers: its parameters, its result, and what it tells meanwhile. */
export interface Method {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
  /** `z.never()` if it tells nothing. */
  readonly notice: z.ZodType;
}
export type Methods = Readonly<Record<string, Method>>;

/** A value to send: it may be read-only. */
export type Sent<Value> =
  Value extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Sent<Item>>
    : Value extends object
      ? { readonly [Name in keyof Value]: Sent<Value[Name]> }
      : Value;

/** What a handler has besides the parameters. */
export interface Answering<Notice> {
  /** Aborted if the other process cancels the request, or ends. */
  readonly signal: AbortSignal;
  readonly tell: (notice: Notice) => void;
}

/** The handlers of methods. */
export type Handlers<Own extends Methods> = {
  readonly [Name in keyof Own]: (
    params: z.output<Own[Name]['params']>,
    use: Answering<Sent<z.output<Own[Name]['notice']>>>,
  ) => Promise<Sent<z.output<Own[Name]['result']>>>;
};

/** How to wait for a result. */
export interface Waiting<Notice> {
  /** Cancels the request. It settles once the other process has ended it. */
  readonly signal?: AbortSignal | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

/** The end of a channel between two processes, which keeps messages in order. */
export interface Port {
  /** @throws for a message that cannot be copied */
  readonly send: (message: object) => void;
  readonly listen: (onMessage: (message: unknown) => void) => void;
}

const Envelope = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('request'), id: z.int(), method: z.string(), params: z.unknown() }),
  z.strictObject({ type: z.literal('notice'), id: z.int(), notice: z.unknown() }),
  z.strictObject({ type: z.literal('result'), id: z.int(), result: z.unknown() }),
  z.strictObject({ type: z.literal('failure'), id: z.int(), error: CallError, cause: z.string().optional() }),
  z.strictObject({ type: z.literal('cancel'), id: z.int() }),
]);
type Envelope = z.infer<typeof Envelope>;

/** A request of this process that waits for its result. */
interface Waited {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly tell: (notice: unknown) => void;
}

/** A part of a message that has another form than it should. */
function notUnderstood(method: string, cause: unknown): SynapseError {
  return new SynapseError('internal', `The two processes of a branch do not understand each other (${method}).`, {
    hint: 'This is a defect of Synapse.',
    cause,
  });
}

/** Requests between two processes, in both directions. What arrives is parsed: it contains text of files and programs. */
export class Link<Own extends Methods, Other extends Methods> {
  readonly #port: Port;
  readonly #own: Own;
  readonly #handlers: Handlers<Own>;
  readonly #other: Other;
  readonly #waiting = new Map<number, Waited>();
  readonly #answering = new Map<number, AbortController>();
  #count = 0;
  #ended: SynapseError | undefined;

  /**
   * @param own the methods that this process answers
   * @param other the methods of the other process
   */
  constructor(port: Port, own: Own, handlers: Handlers<Own>, other: Other) {
    this.#port = port;
    this.#own = own;
    this.#handlers = handlers;
    this.#other = other;
    port.listen((message) => this.#receive(message));
  }

  /** Whether the other process has ended. */
  get isOver(): boolean {
    return this.#ended !== undefined;
  }

  /** @throws SynapseError the failure of the other process, or the reason of its end */
  async request<Name extends keyof Other & string>(
    name: Name,
    params: Sent<z.output<Other[Name]['params']>>,
    { signal, onNotice }: Waiting<z.output<Other[Name]['notice']>> = {},
  ): Promise<z.output<Other[Name]['result']>> {
    if (this.#ended !== undefined) throw this.#ended;
    const method = this.#other[name];
    if (method === undefined) throw new TypeError(`There is no method ${name}.`);
    const id = (this.#count += 1);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const tell = (notice: unknown): void => {
      const read = z.safeParse<Other[Name]['notice']>(method.notice, notice);
      if (read.success && onNotice !== undefined) notify(onNotice, read.data);
    };
    this.#waiting.set(id, { resolve, reject, tell });
    const cancel = (): void => this.#send({ type: 'cancel', id });
    try {
      this.#port.send({ type: 'request', id, method: name, params });
      if (signal?.aborted === true) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      const read = z.safeParse<Other[Name]['result']>(method.result, await promise);
      if (read.success) return read.data;
      throw notUnderstood(name, read.error);
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#waiting.delete(id);
    }
  }

  /** Ends what waits and what runs: the other process has ended. */
  end(error: SynapseError): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    for (const controller of this.#answering.values()) controller.abort(error);
  }

  #send(message: Envelope): void {
    if (this.#ended === undefined) this.#port.send(message);
  }

  #receive(message: unknown): void {
    const { success, data } = Envelope.safeParse(message);
    if (!success) return;
    switch (data.type) {
      case 'request':
        void this.#answer(data.id, data.method, data.params);
        break;
      case 'notice':
        this.#waiting.get(data.id)?.tell(data.notice);
        break;
      case 'result':
        this.#waiting.get(data.id)?.resolve(data.result);
        break;
      case 'failure': {
        const { code, message: text, hint, details, retryable } = data.error;
        const facts = { ...(hint === undefined ? {} : { hint }), ...(details === undefined ? {} : { details }), retryable };
        const cause = data.cause === undefined ? undefined : new Error(data.cause);
        this.#waiting.get(data.id)?.reject(new SynapseError(code, text, { ...facts, cause }));
        break;
      }
      case 'cancel':
      default:
        this.#answering.get(data.id)?.abort(new SynapseError('cancelled', 'It was cancelled.'));
    }
  }

  async #answer(id: number, name: string, params: unknown): Promise<void> {
    const controller = new AbortController();
    this.#answering.set(id, controller);
    try {
      if (!this.#isOwn(name)) throw notUnderstood(name, undefined);
      const result = await this.#run(name, params, {
        signal: controller.signal,
        tell: (notice: unknown) => this.#send({ type: 'notice', id, notice }),
      });
      this.#send({ type: 'result', id, result });
    } catch (error) {
      const { code, message, hint, details, retryable, cause } = toSynapseError(error);
      const facts = { ...(hint === undefined ? {} : { hint }), ...(details === undefined ? {} : { details }) };
      // For the audit log, which alone has what was thrown.
      const why = cause instanceof Error ? { cause: cause.stack ?? cause.message } : {};
      this.#send({ type: 'failure', id, error: { code, message, retryable, ...facts }, ...why });
    } finally {
      this.#answering.delete(id);
    }
  }

  #isOwn(name: string): name is keyof Own & string {
    return Object.hasOwn(this.#own, name);
  }

  async #run<Name extends keyof Own & string>(
    name: Name,
    params: unknown,
    use: Answering<Sent<z.output<Own[Name]['notice']>>>,
  ): Promise<Sent<z.output<Own[Name]['result']>>> {
    const method = this.#own[name];
    const read = method === undefined ? undefined : z.safeParse<Own[Name]['params']>(method.params, params);
    if (read?.success !== true) throw notUnderstood(name, read?.error);
    return await this.#handlers[name](read.data, use);
  }
}
