import { SynapseError, type ErrorCode } from '@synapse/protocol';
import {
  audienceOf,
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
  type Peer,
} from '@synapse/protocol/remote';
import { NOT_SEALED, oncePerConnection, SealedFrames } from '../sealed-frames.ts';
import { REAL_PACE, type Pace } from '../pace.ts';
import { brainCall } from './brain-call.ts';
import { notOpen, refusal, refusedResult, REUSED, SENT, UNCONFIRMED } from './brain-errors.ts';
import { BrainLine } from './brain-line.ts';
import type { BrainOptions } from './brain-options.ts';
import { BrainTurns } from './brain-turns.ts';
import { readCredentials } from './read-credentials.ts';
import { FinishedCalls } from './finished-calls.ts';
import { Judges } from './judges.ts';
import { KeptCalls } from './kept-calls.ts';
import type { LocalPorts } from './local-ports.ts';
import { hashArguments, wordProblem } from './hash-arguments.ts';
import {
  readResult,
  type OpenRemoteCall,
  type RemoteDialectResult,
  type RemoteEvent,
  type RemotePort,
  type RemotePortOptions,
} from './remote-hands.ts';
import { RemoteReads, type ReadOptions } from './remote-reads.ts';
import { tell } from './tell.ts';
import { refusedCall, WaitingCalls, type ConnectionCallOptions } from './waiting-calls.ts';

const TICK_MS = 5_000;
/** How long a machine may take to answer a read whose reader does not wait longer, in milliseconds: it is repeated once. */
const SILENCE_MS = 10_000;

/** Milliseconds in which a machine confirms that a call was cancelled. */
const CONFIRM_MS = 10_000;

/** A brain's connection to a machine: calls that run at most once, and reads. */
export class BrainConnection implements AsyncDisposable {
  /** How long a silent machine is waited for, in real milliseconds. */
  readonly silenceMs: number;
  readonly #url: string;
  readonly #pace: Pace;
  readonly #device: Promise<Device> | undefined;
  readonly #sealed: Promise<SealedFrames> | undefined;
  readonly #inst = crypto.randomUUID();
  readonly #done = new FinishedCalls((id) => !this.#kept.ended.has(id));
  readonly #kept: KeptCalls;
  readonly #waiting = new WaitingCalls();
  readonly #line: BrainLine;
  readonly #turns: BrainTurns;
  /** Settles when the calls from before a restart are known. */
  #started: Promise<void> | undefined;
  readonly #reads: RemoteReads;
  /** Loaded when used. */
  #ports: LocalPorts | undefined;
  readonly #listeners = new Set<(event: RemoteEvent) => void>();
  readonly #judges = new Judges();
  readonly #ticker: ReturnType<typeof setInterval>;
  readonly #tellNotSealed = oncePerConnection(() => this.#emit({ type: 'warning', text: NOT_SEALED.toBrain }));
  #closed = false;
  /** Why it ended for good: the answer to each later call and read. */
  #end: SynapseError | undefined;

  constructor(
    url: string,
    { credentials: given, openSocket = (address) => new WebSocket(address), jitter = Math.random, pace = REAL_PACE, store }: BrainOptions,
  ) {
    this.#url = url;
    this.#pace = pace;
    this.silenceMs = pace.wait(SILENCE_MS);
    this.#line = new BrainLine({ url, open: openSocket, jitter, pace, onEvent: (event) => this.#event(event) });
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
    const brain = newBrain(this.#inst, (id) => this.#done.get(id) !== undefined, pairing || undefined);
    const unusable = (error: unknown): void => this.#fail(error, 'The store of calls cannot be used');
    this.#turns = new BrainTurns(brain, {
      perform: (effect) => this.#perform(effect),
      onIdle: () => this.#sendPieces(),
      onFailed: unusable,
    });
    this.#ticker = setInterval(() => this.#tick(), this.#pace.wait(TICK_MS));
    this.#kept = new KeptCalls(store);
    const start = (calls: BrainState['calls']): void => this.#turns.start(startBrain(brain), calls);
    if (store === undefined) start(new Map());
    else this.#started = this.#kept.load(this.#done, pace.now()).then(start, unusable);
  }

  /** Stops, because the keys or the store cannot be used. */
  #fail(error: unknown, what = 'The credentials cannot be used'): void {
    this.#closed = true;
    this.#line.stop();
    this.#line.hangUp(1000, 'Done.');
    const reason = error instanceof Error ? error.message : String(error);
    this.#failAll(`${what}: ${reason}`);
  }

  #tick(): void {
    this.#event({ type: 'tick', now: this.#pace.now() });
    this.#ports?.tick();
  }

  #event(event: BrainEvent): void {
    this.#turns.take(event);
  }

  /** Sends the next pieces of forwarded connections. Only while nothing waits: they must not keep calls waiting. */
  #sendPieces(): void {
    const { phase, channel } = this.#turns.state.link;
    const frame = phase === 'up' && channel.waitingSize === 0 ? this.#ports?.next() : undefined;
    if (frame !== undefined) this.#event({ type: 'say', frame });
  }

  #perform(effect: BrainEffect): Promise<void> | undefined {
    switch (effect.type) {
      case 'connect':
        this.#line.connect(effect);
        break;
      case 'send':
        this.#line.send(effect);
        break;
      case 'close':
        this.#line.close(effect);
        break;
      case 'status':
        this.#tellStatus(effect);
        break;
      case 'deliver':
        return this.#deliver(effect);
      case 'refuse':
        return this.#refuse(effect);
      case 'prove':
        this.#prove(effect);
        break;
      case 'seal':
        this.#seal(effect);
        break;
      case 'unseal':
        this.#unseal(effect);
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
        this.#meet(effect.peer);
        break;
      case 'keep':
        return this.#kept.keep(effect.id, effect.call);
      default:
        break;
    }
    return undefined;
  }

  #tellStatus({ status, text, retryMs, error }: Extract<BrainEffect, { type: 'status' }>): void {
    // First: a listener may make a call.
    if (status === 'stopped') this.#failAll(text, error);
    if (status !== 'online') this.#ports?.breakLine();
    this.#emit({
      type: 'line',
      status,
      text: status === 'offline' ? (this.#line.problem ?? text) : text,
      ...(retryMs === undefined ? {} : { retryMs }),
      ...(error === undefined ? {} : { error }),
    });
  }

  #seal({ frame, to }: Extract<BrainEffect, { type: 'seal' }>): void {
    void this.#sealed?.then((sealed) => sealed.seal(frame, to, (made) => this.#event({ type: 'sealed', frame: made })));
  }

  #unseal({ frame }: Extract<BrainEffect, { type: 'unseal' }>): void {
    const take = (opened: DataFrame): void => this.#event({ type: 'unsealed', frame: opened, now: this.#pace.now() });
    void this.#sealed?.then((sealed) => {
      const { conn } = this.#line;
      sealed.open(frame, take, () => this.#tellNotSealed(conn));
    });
  }

  /** Takes news of the machine. One that is there is asked for what was not answered. */
  #meet(peer: Peer): void {
    this.#emit({ type: 'machine', ...peer });
    this.#ports?.meet(peer);
    if (!peer.online) return;
    this.#reads.askAgain();
    this.#askForQuestions();
  }

  #deliver({ id, call, result }: Extract<BrainEffect, { type: 'deliver' }>): Promise<void> | undefined {
    this.#done.add(id, result);
    if (this.#waiting.settle(id, (tool) => readResult(tool, id, result)) || call === undefined) return this.#kept.forget(id);
    return this.#kept.end(id, call, result);
  }

  #refuse(effect: Extract<BrainEffect, { type: 'refuse' }>): Promise<void> | undefined {
    const { id, call } = effect;
    if (this.#waiting.refuse(id, refusal(effect))) return this.#kept.forget(id);
    // Its caller is gone, and asks for it after the restart.
    return this.#deliver({ type: 'deliver', id, call, result: refusedResult(effect) });
  }

  #prove({ conn, nonce, hello }: Extract<BrainEffect, { type: 'prove' }>): void {
    const work = async (): Promise<void> => {
      const device = await this.#device;
      const proof = (await device?.sign(proofText(audienceOf(this.#url), nonce, hello))) ?? '';
      this.#event({ type: 'proved', conn, proof, now: this.#pace.now() });
    };
    work().catch((error: unknown) => this.#fail(error));
  }

  #emit(event: RemoteEvent): void {
    // The caller who closed the connection knows that it ended.
    if (!this.#closed) for (const listener of this.#listeners) tell(listener, event);
  }

  /** Ends it for good: all that waits gets the reason, and so does what comes later. */
  #failAll(text: string, code: ErrorCode = 'unavailable'): void {
    const error = new SynapseError(code, text);
    this.#end ??= error;
    const sent = new SynapseError(code, text, { hint: SENT });
    for (const id of this.#waiting.ids()) this.#waiting.refuse(id, this.#turns.state.calls.get(id)?.phase === 'held' ? error : sent);
    this.#reads.fail(error);
    this.#ports?.fail(error);
  }

  #hear(frame: Extract<BrainEffect, { type: 'hear' }>['frame']): void {
    if (frame.type === 'chunk') return this.#reads.take(frame);
    if (frame.type === 'forward') return this.#ports?.take(frame);
    if (frame.type === 'approval_request' && frame.may_decide === true) this.#judges.take(frame);
    this.#waiting.hear(frame);
  }

  /** Runs a tool there; never rejects. The call waits while the connection is down. */
  async run(tool: string, input: unknown, dialect: string | undefined, options: ConnectionCallOptions): Promise<RemoteDialectResult> {
    const id = options.callId ?? crypto.randomUUID();
    const refused = (error: SynapseError): RemoteDialectResult => refusedCall(tool, id, error);
    if (this.#started !== undefined) await this.#started;
    if (this.#end !== undefined) return refused(this.#end);
    if (options.signal?.aborted === true) return refused(new SynapseError('cancelled', 'The call was cancelled.'));
    const problem = wordProblem({ id, tool, dialect, workspace: options.workspace });
    if (problem !== undefined) return refused(problem);
    const hash = hashArguments({ tool, input, dialect, dryRun: options.dryRun === true, workspace: options.workspace });
    if (typeof hash !== 'string') return refused(hash);
    if (this.#done.isReused(id, hash)) return refused(REUSED);
    const begin = (): void => this.#event({ type: 'call', id, call: brainCall(tool, input, dialect, options, this.#pace.now()) });
    return await this.#answer(tool, id, options, begin);
  }

  /** Waits for the answer of a call, and cancels it if its signal aborts. */
  async #answer(tool: string, id: string, options: ConnectionCallOptions, begin: () => void): Promise<RemoteDialectResult> {
    const known = this.#done.get(id);
    if (known !== undefined) {
      await this.#kept.forget(id);
      return readResult(tool, id, known);
    }
    const { answer, settle } = this.#waiting.add(tool, id, options);
    let givingUp: ReturnType<typeof setTimeout> | undefined;
    const cancel = (): void => {
      this.#event({ type: 'cancel', id });
      // A machine that is away confirms nothing. It learns of the cancellation when it is back.
      givingUp = setTimeout(() => settle(refusedCall(tool, id, UNCONFIRMED)), this.#pace.wait(CONFIRM_MS));
    };
    options.signal?.addEventListener('abort', cancel, { once: true });
    try {
      begin();
      return await answer;
    } finally {
      clearTimeout(givingUp);
      options.signal?.removeEventListener('abort', cancel);
    }
  }

  /** The calls that have no answer yet, and those that ended before they were asked for. */
  async openCalls(): Promise<OpenRemoteCall[]> {
    await this.#started;
    return this.#kept.list(this.#turns.state.calls);
  }

  /** Waits for the answer of an open call. */
  async resume(id: string, options: ConnectionCallOptions): Promise<RemoteDialectResult> {
    await this.#started;
    const { tool = 'unknown' } = (this.#turns.state.calls.get(id) ?? this.#kept.ended.get(id))?.call ?? {};
    if (this.#end !== undefined) return refusedCall(tool, id, this.#end);
    if (options.signal?.aborted === true) return refusedCall(tool, id, new SynapseError('cancelled', 'The wait was cancelled.'));
    if (!this.#turns.state.calls.has(id) && this.#done.get(id) === undefined) return refusedCall(tool, id, notOpen(id));
    return await this.#answer(tool, id, options, () => {});
  }

  /** Reads a text of the machine. @throws SynapseError with the reason why the connection ended, and the reason of a signal that aborts */
  async read(of: 'tools' | 'output', name: string, options: ReadOptions = {}): Promise<string> {
    if (this.#end !== undefined) throw this.#end;
    const problem = wordProblem(of === 'output' ? { id: name } : { id: of, dialect: name, workspace: options.workspace });
    if (problem !== undefined) throw problem;
    return await this.#reads.read(of, name, options);
  }

  #isOnline(): boolean {
    return this.#turns.state.link.phase === 'up' && this.#turns.state.peer?.online === true;
  }

  /** Opens a port here that leads to a port of a job. @throws SynapseError with its reason, if the machine refuses */
  async forwardPort(job: string, options: RemotePortOptions, workspace?: string): Promise<RemotePort> {
    const { LocalPorts: Ports } = await import('./local-ports.ts');
    if (this.#end !== undefined) throw this.#end;
    const say = (frame: DataFrames['forward']): void => this.#event({ type: 'say', frame });
    this.#ports ??= new Ports({ brain: this.#inst, say, isOnline: () => this.#isOnline(), onReady: () => this.#sendPieces() });
    return await this.#ports.open(job, options, workspace);
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
    this.#line.cancel();
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
    await this.#turns.settled();
    this.#turns.stop();
    this.#line.hangUp(1000, 'Done.');
  }
}
