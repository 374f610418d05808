import { newRelay, relayStep, type RelayEffect, type RelayEvent, type RelayState } from '@synapse/protocol/remote';
import { randomBytes, randomUUID } from 'node:crypto';
import type { RelayStore } from './relay-store.ts';

const TICK_MS = 5_000;

/** One connection, as a host sees it. */
export interface RelaySocket {
  send(text: string): void;
  close(code: number, reason: string): void;
}

/** What a connection reports to the relay. */
export interface RelayConnection {
  text(text: string): void;
  closed(): void;
}

/** Runs the sessions of one relay: its core does all the thinking, and what it stores is durable before anything is sent. */
export class RelayHost implements Disposable {
  readonly #store: RelayStore;
  readonly #inst = randomUUID();
  readonly #sessions = new Map<string, RelayState>();
  readonly #sockets = new Map<number, RelaySocket>();
  readonly #beforeEffect: ((effect: RelayEffect) => void) | undefined;
  readonly #onFailure: (error: unknown) => void;
  readonly #ticker: NodeJS.Timeout;
  #queue: Array<readonly [session: string, event: RelayEvent]> = [];
  #connections = 0;
  #scheduled = false;
  #closed = false;

  constructor(store: RelayStore, options: { readonly onFailure: (error: unknown) => void; readonly beforeEffect?: (effect: RelayEffect) => void }) {
    this.#store = store;
    this.#onFailure = options.onFailure;
    this.#beforeEffect = options.beforeEffect;
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Takes a connection to a session. */
  connect(session: string, socket: RelaySocket): RelayConnection {
    this.#connections += 1;
    const conn = this.#connections;
    this.#sockets.set(conn, socket);
    this.#event(session, { type: 'opened', conn, nonce: randomBytes(24).toString('base64url'), now: Date.now() });
    return {
      text: (text) => this.#event(session, { type: 'text', conn, text, now: Date.now() }),
      closed: () => {
        this.#sockets.delete(conn);
        this.#event(session, { type: 'closed', conn, now: Date.now() });
      },
    };
  }

  #tick(): void {
    for (const [session, state] of this.#sessions) {
      // What nobody uses is in the store; in memory it would only grow.
      if (state.connections.size === 0 && state.parties.size === 0) this.#sessions.delete(session);
      else this.#event(session, { type: 'tick', now: Date.now() });
    }
  }

  #event(session: string, event: RelayEvent): void {
    if (this.#closed) return;
    this.#queue.push([session, event]);
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Everything that came in one turn is stored with one write to the disk.
    setImmediate(() => this.#drain());
  }

  #drain(): void {
    this.#scheduled = false;
    if (this.#closed) return;
    const queue = this.#queue;
    this.#queue = [];
    try {
      const later: Array<Exclude<RelayEffect, { type: 'store' }>> = [];
      for (const [session, event] of queue) {
        const before = this.#sessions.get(session) ?? newRelay(this.#inst, this.#store.read(session));
        const [state, effects] = relayStep(before, event);
        this.#sessions.set(session, state);
        for (const effect of effects) {
          if (effect.type !== 'store') later.push(effect);
          else {
            this.#beforeEffect?.(effect);
            this.#store.write(session, effect);
          }
        }
      }
      this.#store.flush();
      for (const effect of later) {
        this.#beforeEffect?.(effect);
        const socket = this.#sockets.get(effect.conn);
        if (effect.type === 'send') socket?.send(effect.text);
        else socket?.close(effect.code, effect.reason);
      }
    } catch (error) {
      // What cannot be stored must not be sent on: this relay is of no use any more.
      this[Symbol.dispose]();
      this.#onFailure(error);
    }
  }

  /** How many sessions have somebody connected. */
  get sessions(): number {
    return [...this.#sessions.values()].filter(({ connections }) => connections.size > 0).length;
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    clearInterval(this.#ticker);
    for (const socket of this.#sockets.values()) socket.close(1012, 'The relay restarts.');
    this.#store[Symbol.dispose]();
  }
}
