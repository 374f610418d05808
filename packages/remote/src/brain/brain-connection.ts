import { SynapseError, type ErrorCode } from '@synapse/protocol';
import {
  audienceOf,
  brainStep,
  deviceId,
  newBrain,
  openDevice,
  proofText,
  startBrain,
  type BrainEffect,
  type BrainEvent,
  type BrainState,
  type DataFrame,
  type DataFrames,
  type Device,
} from '@synapse/protocol/remote';
import { NOT_SEALED, oncePerConnection, SealedFrames } from '../sealed-frames.ts';
import { REAL_PACE, type Pace } from '../pace.ts';
import { refusal, REUSED, SENT, UNCONFIRMED } from './brain-errors.ts';
import type { BrainOptions, BrowserSocket } from './brain-options.ts';
import { closeSocket, followSocket, sendIfOpen } from './brain-socket.ts';
import { readCredentials } from './read-credentials.ts';
import { FinishedCalls } from './finished-calls.ts';
import { Judges } from './judges.ts';
import type { LocalPorts } from './local-ports.ts';
import { hashArguments, wholeMs, wordProblem } from './hash-arguments.ts';
import {
  failedCall,
  readResult,
  type RemoteCallOptions,
  type RemoteDialectResult,
  type RemoteEvent,
  type RemotePort,
  type RemotePortOptions,
} from './remote-hands.ts';
import { RemoteReads, type ReadOptions } from './remote-reads.ts';
import { tell } from './tell.ts';

const TICK_MS = 5_000;
/** How long a machine may take to answer a read whose reader does not wait longer, in milliseconds: it is repeated once. */
const SILENCE_MS = 10_000;

/** Options of a call at the connection. */
interface ConnectionCallOptions extends RemoteCallOptions {
  /** Receives the pieces of output that arrive, with their offsets. */
  readonly onPiece?: (piece: DataFrames['tool_progress']) => void;
}

interface Waiting {
  readonly tool: string;
  readonly options: ConnectionCallOptions;
  readonly settle: (result: RemoteDialectResult) => void;
}

/** Milliseconds in which a machine confirms that a call was cancelled. */
const CONFIRM_MS = 10_000;

/** A brain's connection to a machine: calls that run at most once, and reads. */
export class BrainConnection implements AsyncDisposable {
  /** How long a silent machine is waited for, in real milliseconds. */
  readonly silenceMs: number;
  readonly #url: string;
  readonly #open: (url: string) => BrowserSocket;
  readonly #jitter: () => number;
  readonly #pace: Pace;
  readonly #device: Promise<Device> | undefined;
  readonly #sealed: Promise<SealedFrames> | undefined;
  readonly #inst = crypto.randomUUID();
  readonly #done = new FinishedCalls();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #reads: RemoteReads;
  /** Loaded when used. */
  #ports: LocalPorts | undefined;
  readonly #listeners = new Set<(event: RemoteEvent) => void>();
  readonly #judges = new Judges();
  readonly #queue: BrainEvent[] = [];
  readonly #ticker: ReturnType<typeof setInterval>;
  readonly #tellNotSealed = oncePerConnection(() => this.#emit({ type: 'warning', text: NOT_SEALED.toBrain }));
  #connecting: ReturnType<typeof setTimeout> | undefined;
  #socket: { readonly conn: number; readonly socket: BrowserSocket } | undefined;
  #problem: string | undefined;
  #state: BrainState;
  #busy = false;
  #closed = false;
  /** Why it ended for good: the answer to each later call and read. */
  #end: SynapseError | undefined;

  constructor(
    url: string,
    { credentials: given, openSocket = (address) => new WebSocket(address), jitter = Math.random, pace = REAL_PACE }: BrainOptions,
  ) {
    this.#url = url;
    this.#pace = pace;
    this.silenceMs = pace.wait(SILENCE_MS);
    this.#open = openSocket;
    this.#jitter = jitter;
    this.#reads = new RemoteReads({
      brain: this.#inst,
      say: (frame) => this.#event({ type: 'say', frame }),
      isOnline: () => this.#isOnline(),
      isOpen: (call) => this.#waiting.has(call),
      repeatMs: pace.wait(TICK_MS),
    });
    const credentials = given === undefined ? undefined : readCredentials(given);
    const machine = credentials && deviceId(credentials.machine);
    if (credentials !== undefined) {
      this.#device = openDevice(credentials.device);
      const identityOf = (id: string): string | undefined => (id === machine ? credentials.machine : undefined);
      this.#sealed = this.#device.then((device) => new SealedFrames(device, this.#inst, identityOf, (error) => this.#fail(error)));
      this.#sealed.catch((error: unknown) => this.#fail(error));
    }
    const pairing = credentials && machine && { identity: credentials.device.identity, machine };
    const [state, effects] = startBrain(newBrain(this.#inst, (id) => this.#done.get(id) !== undefined, pairing || undefined));
    this.#state = state;
    this.#ticker = setInterval(() => this.#tick(), this.#pace.wait(TICK_MS));
    for (const effect of effects) this.#perform(effect);
  }

  /** Stops, because the keys cannot be used. */
  #fail(error: unknown): void {
    this.#closed = true;
    this.#hangUp(1000, 'Done.');
    const reason = error instanceof Error ? error.message : String(error);
    this.#failAll(`The credentials cannot be used: ${reason}`);
  }

  #tick(): void {
    this.#event({ type: 'tick', now: this.#pace.now() });
    this.#ports?.tick();
  }

  #event(event: BrainEvent): void {
    this.#queue.push(event);
    if (this.#busy) return;
    this.#busy = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const [state, effects] = brainStep(this.#state, next);
      this.#state = state;
      for (const effect of effects) this.#perform(effect);
    }
    this.#busy = false;
    this.#sendPieces();
  }

  /** Sends the next pieces of forwarded connections. Only while nothing waits: they must not keep calls waiting. */
  #sendPieces(): void {
    const { phase, channel } = this.#state.link;
    const frame = phase === 'up' && channel.waitingSize === 0 ? this.#ports?.next() : undefined;
    if (frame !== undefined) this.#event({ type: 'say', frame });
  }

  #perform(effect: BrainEffect): void {
    switch (effect.type) {
      case 'connect':
        clearTimeout(this.#connecting);
        if (!this.#closed) this.#connecting = setTimeout(() => this.#connect(effect.conn), this.#pace.wait(effect.afterMs));
        break;
      case 'send':
        if (this.#socket?.conn === effect.conn) sendIfOpen(this.#socket.socket, effect.text);
        break;
      case 'close':
        if (this.#socket?.conn === effect.conn) this.#hangUp(effect.code, effect.reason);
        break;
      case 'status':
        // First: a listener may make a call.
        if (effect.status === 'stopped') this.#failAll(effect.text, effect.error);
        if (effect.status !== 'online') this.#ports?.breakLine();
        this.#emit({
          type: 'line',
          status: effect.status,
          text: effect.status === 'offline' ? (this.#problem ?? effect.text) : effect.text,
          ...(effect.retryMs === undefined ? {} : { retryMs: effect.retryMs }),
          ...(effect.error === undefined ? {} : { error: effect.error }),
        });
        break;
      case 'deliver':
        this.#done.add(effect.id, effect.result);
        this.#settle(effect.id, (tool) => readResult(tool, effect.id, effect.result));
        break;
      case 'refuse':
        this.#refuse(effect.id, refusal(effect));
        break;
      case 'prove':
        this.#prove(effect);
        break;
      case 'seal':
        void this.#sealed?.then((sealed) => sealed.seal(effect.frame, effect.to, (frame) => this.#event({ type: 'sealed', frame })));
        break;
      case 'unseal':
        void this.#sealed?.then((sealed) => {
          const conn = this.#socket?.conn;
          const take = (frame: DataFrame): void => this.#event({ type: 'unsealed', frame, now: this.#pace.now() });
          sealed.open(effect.frame, take, () => this.#tellNotSealed(conn));
        });
        break;
      case 'hear':
        this.#hear(effect.frame);
        break;
      case 'unsupported':
        this.#ports?.unsupported();
        break;
      case 'settle':
        setTimeout(() => this.#event({ type: 'settle', now: this.#pace.now() }), this.#pace.wait(effect.afterMs));
        break;
      case 'peer':
        this.#emit({ type: 'machine', ...effect.peer });
        this.#ports?.meet(effect.peer);
        if (effect.peer.online) {
          this.#reads.askAgain();
          this.#askForQuestions();
        }
        break;
      case 'keep':
      default:
        break;
    }
  }

  #prove({ conn, nonce, hello }: Extract<BrainEffect, { type: 'prove' }>): void {
    const work = async (): Promise<void> => {
      const device = await this.#device;
      const proof = (await device?.sign(proofText(audienceOf(this.#url), nonce, hello))) ?? '';
      this.#event({ type: 'proved', conn, proof, now: this.#pace.now() });
    };
    work().catch((error: unknown) => this.#fail(error));
  }

  #connect(conn: number): void {
    const socket = this.#open(this.#url);
    this.#socket = { conn, socket };
    this.#problem = undefined;
    followSocket(socket, this.#pace, {
      opened: () => this.#event({ type: 'opened', conn, now: this.#pace.now() }),
      heard: (text) => this.#event({ type: 'text', conn, text, now: this.#pace.now() }),
      late: () => this.#socket?.conn === conn && this.#hangUp(4408, 'The relay does not answer.'),
      gone: ({ code, problem }) => {
        if (this.#socket?.conn === conn) [this.#socket, this.#problem] = [undefined, problem];
        this.#event({ type: 'closed', conn, code, now: this.#pace.now(), jitter: this.#jitter() });
      },
    });
  }

  /** Closes the connection without waiting for the other side, which may be gone. */
  #hangUp(code: number, reason: string): void {
    const held = this.#socket;
    if (held === undefined) return;
    this.#socket = undefined;
    closeSocket(held.socket, code, reason);
    this.#event({ type: 'closed', conn: held.conn, code, now: this.#pace.now(), jitter: this.#jitter() });
  }

  #emit(event: RemoteEvent): void {
    // The caller who closed the connection knows that it ended.
    if (!this.#closed) for (const listener of this.#listeners) tell(listener, event);
  }

  #settle(id: string, make: (tool: string) => RemoteDialectResult): void {
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const { tool, settle } of waiting) settle(make(tool));
  }

  #refuse(id: string, error: SynapseError): void {
    this.#settle(id, (tool) => ({ output: `Error: ${error.message}`, isError: true, result: failedCall(tool, id, error) }));
  }

  /** Ends it for good: all that waits gets the reason, and so does what comes later. */
  #failAll(text: string, code: ErrorCode = 'unavailable'): void {
    const error = new SynapseError(code, text);
    this.#end ??= error;
    const sent = new SynapseError(code, text, { hint: SENT });
    for (const id of this.#waiting.keys()) this.#refuse(id, this.#state.calls.get(id)?.phase === 'held' ? error : sent);
    this.#reads.fail(error);
    this.#ports?.fail(error);
  }

  #hear(frame: Extract<BrainEffect, { type: 'hear' }>['frame']): void {
    if (frame.type === 'chunk') return this.#reads.take(frame);
    if (frame.type === 'forward') return this.#ports?.take(frame);
    if (frame.type === 'approval_request' && frame.may_decide === true) this.#judges.take(frame);
    for (const { options } of this.#waiting.get(frame.tool_call_id) ?? []) {
      if (frame.type === 'approval_request') tell(options.onApproval, frame);
      else if (frame.type === 'tool_progress') {
        options.onPiece?.(frame);
        tell(options.onProgress, {
          ...(frame.data === '' ? {} : { output: frame.data }),
          ...(frame.message === undefined ? {} : { message: frame.message }),
        });
      }
    }
  }

  /** Runs a tool there; never rejects. The call waits while the connection is down. */
  async run(tool: string, input: unknown, dialect: string | undefined, options: ConnectionCallOptions): Promise<RemoteDialectResult> {
    const id = options.callId ?? crypto.randomUUID();
    const refused = (error: SynapseError): RemoteDialectResult => ({
      output: `Error: ${error.message}`,
      isError: true,
      result: failedCall(tool, id, error),
    });
    if (this.#end !== undefined) return refused(this.#end);
    if (options.signal?.aborted === true) return refused(new SynapseError('cancelled', 'The call was cancelled.'));
    const problem = wordProblem({ id, tool, dialect });
    if (problem !== undefined) return refused(problem);
    const hash = hashArguments({ tool, input, dialect, dryRun: options.dryRun === true });
    if (typeof hash !== 'string') return refused(hash);
    if (this.#done.isReused(id, hash)) return refused(REUSED);
    const known = this.#done.get(id);
    if (known !== undefined) return readResult(tool, id, known);
    const { promise, resolve } = Promise.withResolvers<RemoteDialectResult>();
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), { tool, options, settle: resolve }]);
    let givingUp: ReturnType<typeof setTimeout> | undefined;
    const cancel = (): void => {
      this.#event({ type: 'cancel', id });
      // A machine that is away confirms nothing. It learns of the cancellation when it is back.
      givingUp = setTimeout(() => resolve(refused(UNCONFIRMED)), this.#pace.wait(CONFIRM_MS));
    };
    options.signal?.addEventListener('abort', cancel, { once: true });
    try {
      this.#event({
        type: 'call',
        id,
        call: {
          tool,
          args: input ?? {},
          at: this.#pace.now(),
          ...(dialect === undefined ? {} : { dialect }),
          ...(options.timeoutMs === undefined ? {} : { deadlineMs: wholeMs(options.timeoutMs) }),
          ...(options.queueMs === undefined ? {} : { queueMs: wholeMs(options.queueMs) }),
          ...(options.dryRun === true ? { dryRun: true } : {}),
        },
      });
      return await promise;
    } finally {
      clearTimeout(givingUp);
      options.signal?.removeEventListener('abort', cancel);
    }
  }

  /** Reads a text of the machine. @throws SynapseError with the reason why the connection ended, and the reason of a signal that aborts */
  async read(of: 'tools' | 'output', name: string, options: ReadOptions = {}): Promise<string> {
    if (this.#end !== undefined) throw this.#end;
    const problem = wordProblem(of === 'output' ? { id: name } : { id: of, dialect: name });
    if (problem !== undefined) throw problem;
    return await this.#reads.read(of, name, options);
  }

  #isOnline(): boolean {
    return this.#state.link.phase === 'up' && this.#state.peer?.online === true;
  }

  /** Opens a port here that leads to a port of a job. @throws SynapseError with its reason, if the machine refuses */
  async forwardPort(job: string, options: RemotePortOptions): Promise<RemotePort> {
    const { LocalPorts: Ports } = await import('./local-ports.ts');
    if (this.#end !== undefined) throw this.#end;
    const say = (frame: DataFrames['forward']): void => this.#event({ type: 'say', frame });
    this.#ports ??= new Ports({ brain: this.#inst, say, isOnline: () => this.#isOnline(), onReady: () => this.#sendPieces() });
    return await this.#ports.open(job, options);
  }

  approve({ approval_id, tool_call_id, args_hash }: DataFrames['approval_request'], option: 'allow_once' | 'reject'): void {
    this.#event({ type: 'say', frame: { type: 'approval_decision', approval_id, tool_call_id, args_hash, option } });
  }

  /** Asks the machine for the questions that wait for this device. */
  #askForQuestions(): void {
    if (this.#judges.exist) this.#event({ type: 'say', frame: { type: 'sync', brain: this.#inst, calls: [] } });
  }

  questions(listener: (request: DataFrames['approval_request']) => void): () => void {
    const end = this.#judges.add(listener);
    this.#askForQuestions();
    return end;
  }

  subscribe(listener: (event: RemoteEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#ticker);
    clearTimeout(this.#connecting);
    this.#ports?.fail(undefined);
    this.#failAll('The connection was closed.');
    // Confirms the last results, so that the other side need not keep them.
    this.#event({ type: 'settle', now: this.#pace.now() });
    await this.#sealed?.then(
      (sealed) => sealed.sealed(),
      () => {
        // The keys cannot be used, which was told already.
      },
    );
    this.#hangUp(1000, 'Done.');
    clearTimeout(this.#connecting);
  }
}
