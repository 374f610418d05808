import { SynapseError, type CallResult } from '@synapse/protocol';
import {
  brainStep,
  callHash,
  MAX_FRAME,
  newBrain,
  startBrain,
  type BrainEffect,
  type BrainEvent,
  type BrainState,
  type DataFrames,
  type FinishedCall,
} from '@synapse/protocol/remote';
import { sessionUrl } from '../session-url.ts';
import {
  failedCall,
  readResult,
  type RemoteCallOptions,
  type RemoteDialectResult,
  type RemoteEvent,
  type RemoteHands,
  type RemoteToolFormat,
} from './remote-hands.ts';

const TICK_MS = 5_000;
const CONNECT_MS = 10_000;
/** Of what is done, so many are remembered, to answer a result that comes twice. */
const MAX_DONE = 10_000;
/** Room in a frame for what surrounds the arguments. */
const ENVELOPE = 1_024;

/** The part of a WebSocket that every runtime has. */
export interface BrowserSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void;
}

/** How a brain connects. */
export interface BrainOptions {
  /** Default: the fragment of the URL. */
  readonly session?: string;
  /** Makes a WebSocket. Default: that of the runtime. */
  readonly openSocket?: (url: string) => BrowserSocket;
  /** How much of each wait before another attempt is waited, from 0 to 1. Default: random, so that not all return at once. */
  readonly jitter?: () => number;
}

interface Waiting {
  readonly tool: string;
  readonly options: RemoteCallOptions;
  readonly settle: (result: RemoteDialectResult) => void;
}

const REUSED = new SynapseError('conflict', 'This call id was used for another call.', { hint: 'Use a new call id for a new call.' });

/** Calls that browsers allow with `close`; others throw there. */
const mayClose = (code: number): boolean => code === 1000 || (code >= 3000 && code <= 4999);

/**
 * Connects to hands on another machine, by the address of a relay and the name of a session.
 *
 * @throws SynapseError `invalid_arguments` for what is no such address
 * @example
 * await using hands = connectHands('ws://127.0.0.1:7412#laptop');
 * const result = await hands.call('read_file', { path: 'package.json' });
 */
export function connectHands(relay: string, options: BrainOptions = {}): RemoteHands {
  return new Connection(sessionUrl(relay, options.session), options.openSocket ?? ((url) => new WebSocket(url)), options.jitter ?? Math.random);
}

class Connection implements RemoteHands {
  readonly #url: string;
  readonly #open: (url: string) => BrowserSocket;
  readonly #jitter: () => number;
  readonly #inst = crypto.randomUUID();
  readonly #done = new Map<string, FinishedCall>();
  /** Of calls that were made here: what each id stands for. */
  readonly #hashes = new Map<string, string>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #reads = new Map<string, (chunk: DataFrames['chunk']) => void>();
  readonly #listeners = new Set<(event: RemoteEvent) => void>();
  readonly #queue: BrainEvent[] = [];
  readonly #ticker: ReturnType<typeof setInterval>;
  #connecting: ReturnType<typeof setTimeout> | undefined;
  #socket: { readonly conn: number; readonly socket: BrowserSocket } | undefined;
  #state: BrainState;
  #busy = false;
  #closed = false;

  constructor(url: string, open: (url: string) => BrowserSocket, jitter: () => number) {
    this.#url = url;
    this.#open = open;
    this.#jitter = jitter;
    const [state, effects] = startBrain(newBrain(this.#inst, (id) => this.#done.has(id)));
    this.#state = state;
    this.#ticker = setInterval(() => this.#event({ type: 'tick', now: Date.now() }), TICK_MS);
    for (const effect of effects) this.#perform(effect);
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
  }

  #perform(effect: BrainEffect): void {
    switch (effect.type) {
      case 'connect':
        clearTimeout(this.#connecting);
        if (!this.#closed) this.#connecting = setTimeout(() => this.#connect(effect.conn), effect.afterMs);
        break;
      case 'send':
        if (this.#socket?.conn === effect.conn) this.#socket.socket.send(effect.text);
        break;
      case 'close':
        if (this.#socket?.conn === effect.conn) this.#hangUp(effect.code, effect.reason);
        break;
      case 'status':
        this.#emit({ type: 'line', status: effect.status, text: effect.text, ...(effect.retryMs === undefined ? {} : { retryMs: effect.retryMs }) });
        if (effect.status === 'stopped') this.#failAll(effect.text);
        break;
      case 'deliver':
        this.#remember(effect.id, effect.result);
        this.#settle(effect.id, (tool) => readResult(tool, effect.id, effect.result));
        break;
      case 'refuse':
        this.#refuse(effect.id, REUSED);
        break;
      case 'hear':
        this.#hear(effect.frame);
        break;
      case 'peer':
        this.#emit({ type: 'machine', ...effect.peer });
        break;
      case 'keep':
      default:
        break;
    }
  }

  #connect(conn: number): void {
    const socket = this.#open(this.#url);
    this.#socket = { conn, socket };
    const patience = setTimeout(() => this.#socket?.conn === conn && this.#hangUp(4408, 'The relay does not answer.'), CONNECT_MS);
    socket.addEventListener('open', () => {
      clearTimeout(patience);
      this.#event({ type: 'opened', conn, now: Date.now() });
    });
    socket.addEventListener('message', ({ data }) =>
      this.#event({ type: 'text', conn, text: typeof data === 'string' ? data : '', now: Date.now() }),
    );
    // A failure is followed by the close, which says all that there is to say.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', ({ code }) => {
      clearTimeout(patience);
      if (this.#socket?.conn === conn) this.#socket = undefined;
      this.#event({ type: 'closed', conn, code, now: Date.now(), jitter: this.#jitter() });
    });
  }

  /** Ends a connection without waiting for the other side, which may be gone. */
  #hangUp(code: number, reason: string): void {
    const held = this.#socket;
    if (held === undefined) return;
    this.#socket = undefined;
    held.socket.close(mayClose(code) ? code : 1000, reason.slice(0, 100));
    this.#event({ type: 'closed', conn: held.conn, code, now: Date.now(), jitter: this.#jitter() });
  }

  #emit(event: RemoteEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #remember(id: string, result: FinishedCall): void {
    this.#done.set(id, result);
    const [oldest] = this.#done.keys();
    if (this.#done.size <= MAX_DONE || oldest === undefined) return;
    this.#done.delete(oldest);
    this.#hashes.delete(oldest);
  }

  #settle(id: string, make: (tool: string) => RemoteDialectResult): void {
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const { tool, settle } of waiting) settle(make(tool));
  }

  #refuse(id: string, error: SynapseError): void {
    this.#settle(id, (tool) => ({ output: `Error: ${error.message}`, isError: true, result: failedCall(tool, id, error) }));
  }

  #failAll(text: string): void {
    for (const id of this.#waiting.keys()) this.#refuse(id, new SynapseError('unavailable', text));
  }

  #hear(frame: Extract<BrainEffect, { type: 'hear' }>['frame']): void {
    if (frame.type === 'chunk') return this.#reads.get(`${frame.of}:${frame.name}`)?.(frame);
    for (const { options } of this.#waiting.get(frame.tool_call_id) ?? []) {
      if (frame.type === 'approval_request') options.onApproval?.(frame);
      else if (frame.type === 'tool_progress')
        options.onProgress?.({
          ...(frame.data === '' ? {} : { output: frame.data }),
          ...(frame.message === undefined ? {} : { message: frame.message }),
        });
    }
  }

  async #run(tool: string, input: unknown, dialect: string | undefined, options: RemoteCallOptions): Promise<RemoteDialectResult> {
    const id = options.callId ?? crypto.randomUUID();
    const refused = (error: SynapseError): RemoteDialectResult => ({
      output: `Error: ${error.message}`,
      isError: true,
      result: failedCall(tool, id, error),
    });
    if (this.#closed || this.#state.link.phase === 'stopped') return refused(new SynapseError('unavailable', 'The connection is closed.'));
    if (options.signal?.aborted === true) return refused(new SynapseError('cancelled', 'The call was cancelled.'));
    const size = JSON.stringify(input ?? {})?.length ?? 0;
    if (size + ENVELOPE > MAX_FRAME) {
      return refused(
        new SynapseError('too_large', `The arguments are too large to send: ${size} characters.`, {
          hint: 'Send at most 256 KiB; write large files in parts.',
        }),
      );
    }
    let hash: string;
    try {
      hash = callHash({ tool, args: input, dialect });
    } catch (error) {
      return refused(
        new SynapseError('invalid_arguments', 'The arguments cannot be sent.', {
          hint: 'They are JSON, nested at most 64 levels deep.',
          cause: error,
        }),
      );
    }
    if ((this.#hashes.get(id) ?? hash) !== hash) return refused(REUSED);
    this.#hashes.set(id, hash);
    const known = this.#done.get(id);
    if (known !== undefined) return readResult(tool, id, known);
    const { promise, resolve } = Promise.withResolvers<RemoteDialectResult>();
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), { tool, options, settle: resolve }]);
    const cancel = (): void => this.#event({ type: 'cancel', id });
    options.signal?.addEventListener('abort', cancel, { once: true });
    try {
      this.#event({
        type: 'call',
        id,
        call: {
          tool,
          args: input ?? {},
          at: Date.now(),
          ...(dialect === undefined ? {} : { dialect }),
          ...(options.timeoutMs === undefined ? {} : { deadlineMs: options.timeoutMs }),
          ...(options.queueMs === undefined ? {} : { queueMs: options.queueMs }),
        },
      });
      return await promise;
    } finally {
      options.signal?.removeEventListener('abort', cancel);
    }
  }

  async call(name: string, input?: unknown, options: RemoteCallOptions = {}): Promise<CallResult> {
    return (await this.#run(name, input, undefined, options)).result;
  }

  /** Reads a text by offset; asks again where nothing comes, since what reads is not kept anywhere. */
  async #read(of: 'tools', name: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    let text = '';
    let offset = 0;
    const ask = (): void => this.#event({ type: 'say', frame: { type: 'read', brain: this.#inst, of, name, from: offset, chunks: 16 } });
    this.#reads.set(`${of}:${name}`, (chunk) => {
      if (chunk.from !== offset) return;
      text += chunk.data;
      offset = chunk.next;
      if (offset >= chunk.total) resolve(text);
    });
    const forget = this.subscribe((event) => event.type === 'machine' && event.online && ask());
    const again = setInterval(ask, TICK_MS);
    try {
      if (this.#state.peer?.online === true) ask();
      return await promise;
    } finally {
      forget();
      clearInterval(again);
      this.#reads.delete(`${of}:${name}`);
    }
  }

  async #tools(name: string): Promise<unknown> {
    const value: unknown = JSON.parse(await this.#read('tools', name));
    if (typeof value === 'object' && value !== null && 'error' in value && !Array.isArray(value)) {
      const { message } = value.error as { readonly message: string };
      throw new SynapseError('invalid_arguments', message);
    }
    return value;
  }

  tools(format: RemoteToolFormat): Promise<unknown> {
    return this.#tools(format);
  }

  dialect(name: string): ReturnType<RemoteHands['dialect']> {
    return {
      name,
      tools: (format) => this.#tools(`${format}:${name}`),
      call: (tool, input, options = {}) => this.#run(tool, input, name, options),
    };
  }

  approve({ approval_id, tool_call_id, args_hash }: DataFrames['approval_request'], option: 'allow_once' | 'reject'): void {
    this.#event({ type: 'say', frame: { type: 'approval_decision', approval_id, tool_call_id, args_hash, option } });
  }

  subscribe(listener: (event: RemoteEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#ticker);
    clearTimeout(this.#connecting);
    this.#failAll('The connection was closed.');
    this.#hangUp(1000, 'Done.');
    clearTimeout(this.#connecting);
  }
}
