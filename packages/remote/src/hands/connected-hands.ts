import { defaultStateFolder, toolFormat, workspaceId, type Approver, type Hands } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import {
  CHUNK_BYTES,
  handsStep,
  newHands,
  startHands,
  type DataFrames,
  type HandsEffect,
  type HandsEvent,
  type HandsState,
  type LedgerCall,
  type LinkEffect,
} from '@synapse/protocol/remote';
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { textSlice } from '../text-slice.ts';
import { openClientSocket, type ClientSocket } from './client-socket.ts';
import { LedgerFile } from './ledger-file.ts';
import { ProgressBatches } from './progress-batches.ts';
import { remoteApprover } from './remote-approver.ts';
import { runCall } from './run-call.ts';
import { Spools } from './spool.ts';

const TICK_MS = 5_000;

/** Something about the line that a person wants to know. */
export type ConnectionStatus = Omit<Extract<LinkEffect, { type: 'status' }>, 'type'>;

/** How to connect hands. */
export interface ConnectOptions {
  /** Whole: with the path of the session, where there is a relay. */
  readonly url: string;
  /** Which ledger is used; another name is another one. */
  readonly name?: string;
  /** Calls that name no dialect are of this one. */
  readonly dialect?: string;
  readonly stateFolder?: string;
  /** Who is asked at this machine. */
  readonly approver?: Approver;
  /** Whether the side of the brain may approve calls of a tool. Default: it may not. */
  readonly brainApproves?: (tool: string) => boolean;
  readonly onStatus?: (status: ConnectionStatus) => void;
  /** How much of each wait before another attempt is waited, from 0 to 1. Default: random, so that not all return at once. */
  readonly jitter?: () => number;
  /** Called before each effect; for tests that end the process there. */
  readonly beforeEffect?: (effect: HandsEffect) => void;
}

interface Running {
  readonly abort: AbortController;
  answer: ((option: 'allow_once' | 'reject') => void) | undefined;
  readonly settled: Promise<void>;
}

/** Hands that serve brains over a line which may break at any time. */
export class ConnectedHands implements AsyncDisposable {
  readonly #hands: Hands;
  readonly #options: ConnectOptions;
  readonly #ledger: LedgerFile;
  readonly #spools: Spools;
  readonly #running = new Map<string, Running>();
  readonly #queue: HandsEvent[] = [];
  readonly #stopped = Promise.withResolvers<void>();
  readonly #ticker: NodeJS.Timeout;
  #state: HandsState;
  #socket: { readonly conn: number; readonly socket: ClientSocket } | undefined;
  #connecting: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #scheduled = false;
  #closed = false;

  /** @throws SynapseError `busy` where another process serves the session; `unavailable` without a ledger */
  constructor(hands: Hands, options: ConnectOptions) {
    this.#hands = hands;
    this.#options = options;
    const session = createHash('sha256')
      .update(options.name ?? options.url)
      .digest('hex')
      .slice(0, 16);
    const folder = join(options.stateFolder ?? defaultStateFolder(), 'remote', workspaceId(hands.workspace), session);
    this.#ledger = new LedgerFile(join(folder, 'ledger.sqlite'));
    this.#spools = new Spools(join(folder, 'output'));
    this.#state = newHands(randomUUID(), this.#ledger);
    this.#queue.push({ type: 'boot', rows: this.#ledger.open(), now: Date.now() });
    const [state, effects] = startHands(this.#state);
    this.#state = state;
    this.#ticker = setInterval(() => this.#event({ type: 'tick', now: Date.now() }), TICK_MS);
    for (const effect of effects) this.#perform(effect);
    this.#schedule();
  }

  /** Settles when it will not connect any more: rejects where that is for a failure. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  #event(event: HandsEvent): void {
    if (this.#closed) return;
    this.#queue.push(event);
    this.#schedule();
  }

  /** Events of one turn are taken together: one write to the disk for all of them. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#drain());
  }

  #drain(): void {
    this.#scheduled = false;
    if (this.#closed) return;
    try {
      const later: HandsEffect[] = [];
      for (const event of this.#queue.splice(0)) {
        const [state, effects] = handsStep(this.#state, event);
        this.#state = state;
        for (const effect of effects) {
          if (effect.type === 'commit') this.#ledger.put(effect.row, effect.body);
          else if (effect.type === 'received') this.#ledger.markReceived(effect.id);
          if (effect.type === 'commit' || effect.type === 'received') this.#options.beforeEffect?.(effect);
          else later.push(effect);
        }
      }
      this.#ledger.flush();
      // Only now: whatever is done or said is written down before.
      for (const effect of later) {
        this.#options.beforeEffect?.(effect);
        this.#perform(effect);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Without its ledger nothing may run. */
  #fail(cause: unknown): void {
    const failure = new SynapseError('unavailable', 'The ledger of this session cannot be written. Calls are refused.', {
      hint: 'See that the state folder can be written and its disk is not full, then connect again.',
      cause,
    });
    this.#stopped.reject(failure);
    this.#stopped.promise.catch(() => {});
    this.#halt();
  }

  #perform(effect: HandsEffect): void {
    switch (effect.type) {
      case 'connect':
        clearTimeout(this.#connecting);
        this.#connecting = setTimeout(() => this.#connect(effect.conn), effect.afterMs);
        break;
      case 'send':
        if (this.#socket?.conn === effect.conn) this.#socket.socket.send(effect.text);
        break;
      case 'close':
        if (this.#socket?.conn !== effect.conn) break;
        this.#socket.socket.end(effect.code, effect.reason);
        this.#disconnected(effect.conn, effect.code);
        break;
      case 'status':
        this.#options.onStatus?.({ ...effect, text: effect.status === 'offline' ? (this.#problem ?? effect.text) : effect.text });
        if (effect.status === 'stopped') this.#stopped.resolve();
        break;
      case 'run':
        this.#run(effect.id, effect.call);
        break;
      case 'abort':
        this.#running.get(effect.id)?.abort.abort();
        break;
      case 'answer':
        this.#running.get(effect.id)?.answer?.(effect.option);
        break;
      case 'load': {
        const result = this.#ledger.result(effect.id);
        if (result !== undefined) this.#event({ type: 'loaded', id: effect.id, result });
        break;
      }
      case 'read':
        this.#read(effect.frame);
        break;
      case 'commit':
      case 'received':
      default:
        break;
    }
  }

  #connect(conn: number): void {
    this.#problem = undefined;
    const socket = openClientSocket(this.#options.url, {
      opened: () => this.#event({ type: 'opened', conn, now: Date.now() }),
      text: (text) => this.#event({ type: 'text', conn, text, now: Date.now() }),
      closed: (code, problem) => {
        this.#problem = problem;
        this.#disconnected(conn, code);
      },
    });
    this.#socket = { conn, socket };
  }

  #disconnected(conn: number, code: number): void {
    if (this.#socket?.conn === conn) this.#socket = undefined;
    this.#event({ type: 'closed', conn, code, now: Date.now(), jitter: (this.#options.jitter ?? Math.random)() });
  }

  #run(id: string, call: LedgerCall): void {
    const abort = new AbortController();
    const { dialect, approver: local } = this.#options;
    const batches = new ProgressBatches((data, message) => {
      const off = data === '' ? 0 : this.#spools.append(id, data);
      this.#event({ type: 'progress', id, off, data, ...(message === undefined ? {} : { message }) });
    });
    const desk = {
      ask: (request: DataFrames['approval_request'], answer: (option: 'allow_once' | 'reject') => void) => {
        running.answer = answer;
        this.#event({ type: 'ask', request, mayBrainAnswer: this.#options.brainApproves?.(request.tool) ?? false });
      },
      close: () => {
        running.answer = undefined;
        this.#event({ type: 'asked', id });
      },
    };
    // Where nobody can say yes, the pipeline says at once that an approval is needed.
    const asks = local !== undefined || this.#options.brainApproves !== undefined;
    const made = dialect === undefined || call.dialect !== undefined ? call : { ...call, dialect };
    const work = async (): Promise<void> => {
      const result = await runCall(this.#hands, made, {
        signal: abort.signal,
        onProgress: batches.add,
        sessionId: `remote:${this.#options.name ?? 'plain'}`,
        ...(asks ? { approver: remoteApprover(id, desk, local) } : {}),
      });
      batches.flush();
      this.#running.delete(id);
      this.#spools.end(id);
      this.#event({ type: 'finished', id, result, now: Date.now() });
    };
    const running: Running = { abort, answer: undefined, settled: Promise.resolve() };
    const settled = work().catch((error: unknown) => this.#fail(error));
    this.#running.set(id, Object.assign(running, { settled }));
  }

  #bytes({ of, name, from }: DataFrames['read']): { readonly bytes: Uint8Array; readonly start: number; readonly total: number } {
    if (of === 'output') return { ...this.#spools.read(name, from, CHUNK_BYTES * 16), start: from };
    const text = of === 'result' ? (this.#ledger.result(name)?.body ?? '') : this.#tools(name);
    const bytes = Buffer.from(text);
    return { bytes, start: 0, total: bytes.length };
  }

  /** The tools as JSON: of a format, or of a dialect where the name has one after a colon. */
  #tools(name: string): string {
    const [format = '', dialect = this.#options.dialect] = name.split(':');
    try {
      const known = toolFormat(format);
      return JSON.stringify(dialect === undefined ? this.#hands.tools(known) : this.#hands.dialect(dialect).tools(known));
    } catch (error) {
      if (error instanceof SynapseError) return JSON.stringify({ error: { code: error.code, message: error.message, hint: error.hint } });
      throw error;
    }
  }

  #read(frame: DataFrames['read']): void {
    const { brain, of, name, from, chunks } = frame;
    const { bytes, start, total } = this.#bytes(frame);
    let at = from;
    for (let count = 0; count < chunks; count += 1) {
      const { data, next } = textSlice(bytes, at - start, CHUNK_BYTES);
      this.#event({ type: 'chunk', frame: { type: 'chunk', brain, of, name, from: at, data, next: start + next, total } });
      if (start + next >= total || next + start <= at) break;
      at = start + next;
    }
  }

  #halt(): void {
    this.#closed = true;
    clearInterval(this.#ticker);
    clearTimeout(this.#connecting);
    this.#socket?.socket.end(1001, 'The machine disconnects.');
    for (const { abort } of this.#running.values()) abort.abort();
  }

  /** Disconnects. What runs is ended, and answers `interrupted` when the session is served again. */
  async [Symbol.asyncDispose](): Promise<void> {
    const running = [...this.#running.values()];
    this.#halt();
    await Promise.all(running.map(({ settled }) => settled));
    this.#stopped.resolve();
    this.#ledger[Symbol.dispose]();
  }
}
