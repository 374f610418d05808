import type { HandsEffect, HandsEvent } from '@synapse/protocol/remote';
import type { Pace } from '../pace.ts';
import { openClientSocket, type ClientSocket } from './client-socket.ts';

type EffectOf<Type extends HandsEffect['type']> = Extract<HandsEffect, { type: Type }>;

/** What a line needs. */
export interface LineParts {
  readonly url: string;
  readonly jitter: () => number;
  readonly pace: Pace;
  readonly onEvent: (event: HandsEvent) => void;
}

/** The sockets of a machine, one after another. Effects about others than the current one do nothing. */
export class ServedLine {
  /** Why it is not online, where that is known. */
  problem: string | undefined;
  readonly #parts: LineParts;
  #connecting: NodeJS.Timeout | undefined;
  #held: { readonly conn: number; readonly socket: ClientSocket } | undefined;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  /** Number of the current connection. */
  get conn(): number | undefined {
    return this.#held?.conn;
  }

  /** Connects after a time. */
  connect({ conn, afterMs }: EffectOf<'connect'>): void {
    clearTimeout(this.#connecting);
    this.#connecting = setTimeout(() => this.#connect(conn), this.#parts.pace.wait(afterMs));
  }

  send({ conn, text }: EffectOf<'send'>): void {
    if (this.#held?.conn === conn) this.#held.socket.send(text);
  }

  close({ conn, code, reason }: EffectOf<'close'>): void {
    if (this.#held?.conn !== conn) return;
    this.#held.socket.end(code, reason);
    this.#closed(conn, code);
  }

  /** Disconnects for good. */
  end(code: number, reason: string): void {
    clearTimeout(this.#connecting);
    this.#held?.socket.end(code, reason);
  }

  #connect(conn: number): void {
    const { url, pace, onEvent } = this.#parts;
    this.problem = undefined;
    const socket = openClientSocket(
      url,
      {
        opened: () => onEvent({ type: 'opened', conn, now: pace.now() }),
        text: (text) => onEvent({ type: 'text', conn, text, now: pace.now() }),
        closed: (code, problem) => {
          this.problem = problem;
          this.#closed(conn, code);
        },
      },
      pace,
    );
    this.#held = { conn, socket };
  }

  #closed(conn: number, code: number): void {
    const { jitter, pace, onEvent } = this.#parts;
    if (this.#held?.conn === conn) this.#held = undefined;
    onEvent({ type: 'closed', conn, code, now: pace.now(), jitter: jitter() });
  }
}
