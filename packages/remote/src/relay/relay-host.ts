import {
  checkHello,
  CLOSE_CODES,
  newRelay,
  relayStep,
  SETTLE_MS,
  type RelayEffect,
  type RelayEvent,
  type RelayState,
} from '@synapse/protocol/remote';
import { randomBytes, randomUUID } from 'node:crypto';
import { REAL_PACE, type Pace } from '../pace.ts';
import type { RelayFigures } from './relay-figures.ts';
import type { RelayStore } from './relay-store.ts';

const TICK_MS = 5_000;

/** A connection, as provided by a host. */
export interface RelaySocket {
  send(text: string): void;
  close(code: number, reason: string): void;
}

/** Receives the events of a connection. */
export interface RelayConnection {
  text(text: string): void;
  closed(): void;
}

/** Options of {@link RelayHost}. */
export interface RelayHostOptions {
  readonly onFailure: (error: unknown) => void;
  /** Whether a machine is enrolled. Without it, the relay is open and clients prove nothing. */
  readonly isEnrolled?: ((identity: string) => boolean) | undefined;
  /** Whether the owner removed a machine that is not enrolled. If not, it may come back. Default: yes. */
  readonly isRemoved?: ((identity: string) => boolean) | undefined;
  /** Asks the authoritative storage, for connecting parties. Default: `isEnrolled`. */
  readonly askEnrolled?: ((identity: string) => Promise<boolean>) | undefined;
  /** The clock; for tests. */
  readonly pace?: Pace | undefined;
  /** Called before each effect; for tests that kill the process there. */
  readonly beforeEffect?: ((effect: RelayEffect) => void) | undefined;
}

type Said = readonly [session: string, effect: Exclude<RelayEffect, { type: 'store' }>];

/** Runs the sessions of a relay; the relay core makes all decisions. The owner of a session is durable before anything is sent. */
export class RelayHost implements Disposable {
  readonly #store: RelayStore;
  readonly #inst = randomUUID();
  readonly #sessions = new Map<string, RelayState>();
  readonly #sockets = new Map<number, RelaySocket>();
  readonly #options: RelayHostOptions;
  readonly #pace: Pace;
  readonly #ticker: NodeJS.Timeout;
  #queue: Array<readonly [session: string, event: RelayEvent]> = [];
  #connections = 0;
  #scheduled = false;
  /** Whether a pending write must be durable before anything is sent. */
  #writesFirst = false;
  #closed = false;

  constructor(store: RelayStore, options: RelayHostOptions) {
    this.#store = store;
    this.#options = options;
    this.#pace = options.pace ?? REAL_PACE;
    this.#ticker = setInterval(() => this.#tick(), this.#pace.wait(TICK_MS));
  }

  /** @param audience the relay's name as dialed by the party, and the session */
  connect(session: string, socket: RelaySocket, audience: string): RelayConnection {
    this.#connections += 1;
    const conn = this.#connections;
    const nonce = randomBytes(24).toString('base64url');
    this.#sockets.set(conn, socket);
    this.#event(session, { type: 'opened', conn, nonce, now: this.#pace.now() });
    const { isEnrolled, askEnrolled = isEnrolled } = this.#options;
    const tell = (text: string): void => this.#event(session, { type: 'text', conn, text, now: this.#pace.now() });
    // The first text identifies the party. Later texts wait until its signature is verified.
    let checking = isEnrolled === undefined ? undefined : Promise.resolve();
    let isFirst = true;
    const check = async (text: string): Promise<void> => {
      if (!isFirst || askEnrolled === undefined) return tell(text);
      isFirst = false;
      const proof = await checkHello(text, { audience, nonce, isEnrolled: askEnrolled });
      this.#event(session, { type: 'text', conn, text, now: this.#pace.now(), ...(proof === undefined ? {} : { proof }) });
      checking = undefined;
    };
    return {
      text: (text) => {
        if (checking === undefined) tell(text);
        else checking = checking.then(() => check(text)).catch(() => this.#cut(conn));
      },
      closed: () => {
        this.#sockets.delete(conn);
        this.#event(session, { type: 'closed', conn, now: this.#pace.now() });
      },
    };
  }

  #load(session: string): RelayState {
    const { isEnrolled } = this.#options;
    const stored = this.#store.read(session);
    // Another relay that takes over has only the records.
    const settleMs = this.#store.isShared ? 0 : SETTLE_MS;
    if (isEnrolled === undefined) return newRelay(this.#inst, 'open', stored, settleMs);
    // A removed machine owns nothing here.
    const isOwned = stored.owner !== undefined && isEnrolled(stored.owner);
    return newRelay(this.#inst, 'paired', isOwned ? stored : { ...stored, owner: undefined, grants: undefined }, settleMs);
  }

  /** Returns the public keys of the machine that owns a session. */
  ownerOf(session: string): string | undefined {
    return (this.#sessions.get(session) ?? this.#load(session)).owner;
  }

  #tick(): void {
    const { isEnrolled, isRemoved = () => true } = this.#options;
    for (const [session, state] of this.#sessions) {
      if (state.owner !== undefined && isEnrolled?.(state.owner) === false) {
        if (isRemoved(state.owner)) this.#event(session, { type: 'removed', identity: state.owner, now: this.#pace.now() });
        else this.drop(session);
      }
      // Unused sessions are in the store. Keeping them in memory would only use space.
      if (state.connections.size === 0 && state.parties.size === 0) this.#sessions.delete(session);
      else this.#event(session, { type: 'tick', now: this.#pace.now() });
    }
  }

  #event(session: string, event: RelayEvent): void {
    if (this.#closed) return;
    this.#queue.push([session, event]);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0) return;
    this.#scheduled = true;
    // Events of one turn are stored with one write to the disk.
    setImmediate(() => this.#drain());
  }

  #drain(): void {
    if (this.#closed) return;
    const queue = this.#queue;
    this.#queue = [];
    try {
      const said = queue.flatMap(([session, event]) => this.#step(session, event));
      const writesFirst = this.#writesFirst || this.#store.isShared;
      this.#writesFirst = false;
      // Send before writing, so that the machine works on a call meanwhile.
      if (!writesFirst) this.#perform(said, []);
      const lost = this.#store.flush();
      // Events that arrive meanwhile wait for the next turn.
      if (!(lost instanceof Promise)) return writesFirst ? this.#perform(said, lost) : undefined;
      lost.then((sessions) => this.#perform(said, sessions)).catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Runs the core and writes its store effects. Returns the other effects. */
  #step(session: string, event: RelayEvent): Said[] {
    const known = this.#sessions.get(session);
    if (!this.#store.holds(session)) {
      this.drop(session);
      if (event.type === 'opened') this.#cut(event.conn);
      return [];
    }
    // Events of a dropped session may still arrive.
    if (known === undefined && event.type !== 'opened') return [];
    const [state, effects] = relayStep(known ?? this.#load(session), event);
    this.#sessions.set(session, state);
    const said: Said[] = [];
    for (const effect of effects) {
      if (effect.type !== 'store') said.push([session, effect]);
      else {
        this.#options.beforeEffect?.(effect);
        this.#store.write(session, effect);
        this.#writesFirst ||= effect.what === 'session';
      }
    }
    return said;
  }

  #perform(said: readonly Said[], lost: readonly string[]): void {
    if (this.#closed) return;
    for (const session of lost) this.drop(session);
    for (const [session, effect] of said) {
      if (lost.includes(session)) continue;
      this.#options.beforeEffect?.(effect);
      if (effect.type === 'settle') this.#settleAfter(session, effect.afterMs);
      else if (effect.type === 'send') this.#sockets.get(effect.conn)?.send(effect.text);
      else this.#sockets.get(effect.conn)?.close(effect.code, effect.reason);
    }
    this.#scheduled = false;
    this.#schedule();
  }

  #settleAfter(session: string, milliseconds: number): void {
    setTimeout(() => this.#event(session, { type: 'settle', now: this.#pace.now() }), this.#pace.wait(milliseconds)).unref();
  }

  #fail(error: unknown): void {
    // What cannot be stored must not be sent, so this relay stops.
    this.#closed = true;
    this[Symbol.dispose]();
    this.#options.onFailure(error);
  }

  #cut(conn: number): void {
    const socket = this.#sockets.get(conn);
    this.#sockets.delete(conn);
    socket?.close(CLOSE_CODES.restarting.code, CLOSE_CODES.restarting.text);
  }

  /** Drops a session that this relay no longer holds. Its clients reconnect and find the relay that does. */
  drop(session: string): void {
    const state = this.#sessions.get(session);
    this.#sessions.delete(session);
    for (const conn of state?.connections.keys() ?? []) this.#cut(conn);
  }

  /** Writes changes that are usually deferred to a tick. */
  #catchUp(): void {
    try {
      for (const session of this.#sessions.keys()) this.#step(session, { type: 'tick', now: this.#pace.now() });
      void this.#store.flush();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  /** Counts the sessions, parties and calls. */
  figures(): RelayFigures {
    const states = [...this.#sessions.values()];
    const parties = states.flatMap((state) => [...state.parties.values()]).filter(({ conn }) => conn !== undefined);
    const calls = states.flatMap((state) => [...state.calls.values()]);
    return {
      sessions: states.length,
      machines: parties.filter(({ role }) => role === 'hands').length,
      agents: parties.filter(({ role }) => role === 'brain').length,
      openCalls: calls.filter(({ result }) => result === undefined).length,
      waitingResults: calls.filter(({ result }) => result !== undefined).length,
    };
  }

  /** Whether a session is in memory. */
  has(session: string): boolean {
    return this.#sessions.has(session);
  }

  [Symbol.dispose](): void {
    if (!this.#closed) this.#catchUp();
    this.#closed = true;
    clearInterval(this.#ticker);
    for (const conn of this.#sockets.keys()) this.#cut(conn);
    this.#store[Symbol.dispose]();
  }
}
