import { send, sendLossy, type Channel } from './channel.ts';
import { CLOSE_CODES, type CloseReason } from './close-codes.ts';
import type { DataFrame, DataFrames } from './frames.ts';

/** One party of a session, over one connection after the other. */
export interface Party {
  readonly role: 'hands' | 'brain';
  readonly inst: string;
  readonly conn: number | undefined;
  readonly channel: Channel;
  readonly seen: number;
}

interface Connection {
  readonly openedAt: number;
  readonly heard: number;
  readonly inst: string | undefined;
}

/** A call on its way. */
export interface RelayedCall {
  readonly owner: string;
  /** Undefined where a brain asked about it after this relay had lost it. */
  readonly frame: DataFrames['tool_call'] | undefined;
  readonly result: DataFrames['tool_result'] | undefined;
  readonly cancel: DataFrames['cancel'] | undefined;
  readonly at: number;
}

/** A session at a relay: one machine's hands, and the brains that use them. */
export interface RelayState {
  readonly inst: string;
  readonly epoch: number;
  readonly ledger: string | undefined;
  readonly hands: string | undefined;
  readonly parties: ReadonlyMap<string, Party>;
  readonly connections: ReadonlyMap<number, Connection>;
  readonly calls: ReadonlyMap<string, RelayedCall>;
}

/** What a relay keeps of a session. */
export interface StoredSession {
  readonly epoch: number;
  readonly ledger: string | undefined;
  /** The instance that has the epoch. */
  readonly hands: string | undefined;
  readonly calls: ReadonlyMap<string, RelayedCall>;
}

export type RelayEvent =
  | { readonly type: 'opened'; readonly conn: number; readonly nonce: string; readonly now: number }
  | { readonly type: 'text'; readonly conn: number; readonly text: string; readonly now: number }
  | { readonly type: 'closed'; readonly conn: number; readonly now: number }
  | { readonly type: 'tick'; readonly now: number };

/** What is to be done, in this order. A `store` is durable before anything after it is sent. */
export type RelayEffect =
  | { readonly type: 'send'; readonly conn: number; readonly text: string }
  | { readonly type: 'close'; readonly conn: number; readonly code: number; readonly reason: string }
  | { readonly type: 'store'; readonly what: 'session'; readonly session: Omit<StoredSession, 'calls'> }
  | { readonly type: 'store'; readonly what: 'call'; readonly id: string; readonly call: RelayedCall | undefined };

export type RelayStep = readonly [state: RelayState, effects: readonly RelayEffect[]];
export type Then = (state: RelayState) => RelayStep;

export function newRelay(inst: string, stored: StoredSession = { epoch: 0, ledger: undefined, hands: undefined, calls: new Map() }): RelayState {
  return { inst, ...stored, parties: new Map(), connections: new Map() };
}

export function chain(state: RelayState, ...steps: readonly Then[]): RelayStep {
  const effects: RelayEffect[] = [];
  let current = state;
  for (const next of steps) {
    const [made, more] = next(current);
    current = made;
    effects.push(...more);
  }
  return [current, effects];
}

export const emit =
  (...effects: readonly RelayEffect[]): Then =>
  (state) => [state, effects];

export function changed<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key, value: Value | undefined): ReadonlyMap<Key, Value> {
  const copy = new Map(map);
  if (value === undefined) copy.delete(key);
  else copy.set(key, value);
  return copy;
}

export const putParty =
  (party: Party): Then =>
  (state) => [{ ...state, parties: changed(state.parties, party.inst, party) }, []];

export const putCall =
  (id: string, call: RelayedCall | undefined): Then =>
  (state) => [{ ...state, calls: changed(state.calls, id, call) }, [{ type: 'store', what: 'call', id, call }]];

export const close =
  (conn: number, reason: CloseReason): Then =>
  (state) => [
    { ...state, connections: changed(state.connections, conn, undefined) },
    [{ type: 'close', conn, code: CLOSE_CODES[reason].code, reason: CLOSE_CODES[reason].text }],
  ];

export const texts = (conn: number | undefined, sent: readonly string[]): RelayEffect[] =>
  conn === undefined ? [] : sent.map((text) => ({ type: 'send', conn, text }));

/** Sends to a party, where it is known; what cannot be sent is found again when the party begins anew. */
export const tell =
  (inst: string | undefined, frame: DataFrame, kind: 'sure' | 'lossy' = 'sure'): Then =>
  (state) => {
    const party = inst === undefined ? undefined : state.parties.get(inst);
    if (party === undefined) return [state, []];
    const [channel, sent] = (kind === 'sure' ? send : sendLossy)(party.channel, frame);
    const told = chain(state, putParty({ ...party, channel }), emit(...texts(party.conn, sent)));
    // It takes nothing: its line is cut before it costs more memory, and the next one begins anew.
    if (!channel.lost || party.channel.lost || party.conn === undefined) return told;
    const [next, effects] = close(party.conn, 'flow')(told[0]);
    return [next, [...told[1], ...effects]];
  };

export const toHands =
  (frame: DataFrame): Then =>
  (state) =>
    tell(state.hands, frame)(state);
