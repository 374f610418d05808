import type { BrainEffect, BrainEvent } from '@synapse/protocol/remote';
import type { Pace } from '../pace.ts';
import type { BrowserSocket } from './brain-options.ts';
import { closeSocket, followSocket, sendIfOpen } from './brain-socket.ts';

type EffectOf<Type extends BrainEffect['type']> = Extract<BrainEffect, { type: Type }>;

/** What a line needs. */
export interface LineParts {
  readonly url: string;
  readonly open: (url: string) => BrowserSocket;
  readonly jitter: () => number;
  readonly pace: Pace;
  readonly onEvent: (event: BrainEvent) => void;
}

/** The sockets of a brain, one after another. Effects and events of others than the current one do nothing to it. */
export class BrainLine {
  readonly #parts: LineParts;
  #connecting: ReturnType<typeof setTimeout> | undefined;
  #held: { readonly conn: number; readonly socket: BrowserSocket } | undefined;
  #problem: string | undefined;
  #isOver = false;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  /** Number of the current connection. */
  get conn(): number | undefined {
    return this.#held?.conn;
  }

  /** Why the last attempt to connect failed, where that is known. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Connects after a time. */
  connect({ conn, afterMs }: EffectOf<'connect'>): void {
    clearTimeout(this.#connecting);
    if (!this.#isOver) this.#connecting = setTimeout(() => this.#connect(conn), this.#parts.pace.wait(afterMs));
  }

  send({ conn, text }: EffectOf<'send'>): void {
    if (this.#held?.conn === conn) sendIfOpen(this.#held.socket, text);
  }

  close({ conn, code, reason }: EffectOf<'close'>): void {
    if (this.#held?.conn === conn) this.hangUp(code, reason);
  }

  /** Closes the connection without waiting for the other side, which may be gone. */
  hangUp(code: number, reason: string): void {
    const held = this.#held;
    if (held === undefined) return;
    const { pace, jitter, onEvent } = this.#parts;
    this.#held = undefined;
    closeSocket(held.socket, code, reason);
    onEvent({ type: 'closed', conn: held.conn, code, now: pace.now(), jitter: jitter() });
  }

  /** Takes no more requests to connect. */
  stop(): void {
    this.#isOver = true;
  }

  /** Connects no more, not even where that waits for its time. */
  cancel(): void {
    this.stop();
    clearTimeout(this.#connecting);
  }

  #connect(conn: number): void {
    const { url, open, pace, jitter, onEvent } = this.#parts;
    const socket = open(url);
    this.#held = { conn, socket };
    this.#problem = undefined;
    followSocket(socket, pace, {
      opened: () => onEvent({ type: 'opened', conn, now: pace.now() }),
      heard: (text) => onEvent({ type: 'text', conn, text, now: pace.now() }),
      late: () => this.#held?.conn === conn && this.hangUp(4408, 'The relay does not answer.'),
      gone: ({ code, problem }) => {
        if (this.#held?.conn === conn) [this.#held, this.#problem] = [undefined, problem];
        onEvent({ type: 'closed', conn, code, now: pace.now(), jitter: jitter() });
      },
    });
  }
}
