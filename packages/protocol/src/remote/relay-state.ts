import { send, sendLossy, type Channel } from './channel.ts';
import { CLOSE_CODES, type CloseReason } from './close-codes.ts';
import type { DataFrame, DataFrames } from './frames.ts';
import type { RemoteGrant } from './grant.ts';

/** A party of a session, across connections. */
export interface Party {
  readonly role: 'hands' | 'brain';
  readonly inst: string;
  /** Id of its proven device; undefined at an open relay. */
  readonly device: string | undefined;
  readonly conn: number | undefined;
  readonly channel: Channel;
  readonly seen: number;
}

interface Connection {
  readonly openedAt: number;
  readonly heard: number;
  readonly inst: string | undefined;
}

/** A call in transit. */
export interface RelayedCall {
  readonly owner: string;
  /** The device of its brain. Others get no information about it. */
  readonly device: string | undefined;
  /** Undefined if a brain asked about it after this relay lost it. */
  readonly frame: DataFrames['tool_call'] | undefined;
  readonly result: DataFrames['tool_result'] | undefined;
  readonly cancel: DataFrames['cancel'] | undefined;
  readonly at: number;
}

/** The stored state of a session, without its calls. */
export interface SessionRecord {
  readonly epoch: number;
  readonly ledger: string | undefined;
  /** The instance that holds the epoch. */
  readonly hands: string | undefined;
  /** The public keys of the machine that claimed the session. No other machine can claim it. */
  readonly owner: string | undefined;
  /** The machine's latest grants; undefined before the first. */
  readonly grants: readonly RemoteGrant[] | undefined;
}

/** The stored state of a session. */
export interface StoredSession extends SessionRecord {
  readonly calls: ReadonlyMap<string, RelayedCall>;
}

export const NEW_SESSION: StoredSession = { epoch: 0, ledger: undefined, hands: undefined, owner: undefined, grants: undefined, calls: new Map() };

/** `open`: for programs of one machine, without proofs. `paired`: for enrolled machines and the devices they allow. */
export type RelayAccess = 'open' | 'paired';

/** A session at a relay: one machine's hands, and the brains that use them. */
export interface RelayState extends StoredSession {
  readonly inst: string;
  readonly access: RelayAccess;
  readonly parties: ReadonlyMap<string, Party>;
  readonly connections: ReadonlyMap<number, Connection>;
  /** Calls with outdated records. Both ends have the current state, so these are written with the next write, or when idle. */
  readonly behind: ReadonlySet<string>;
}

/** The verified proof in a hello: the keys that signed it, and whether the relay has enrolled them as a machine. */
export interface CheckedProof {
  readonly identity: string;
  readonly enrolled: boolean;
}

export type RelayEvent =
  | { readonly type: 'opened'; readonly conn: number; readonly nonce: string; readonly now: number }
  | { readonly type: 'text'; readonly conn: number; readonly text: string; readonly now: number; readonly proof?: CheckedProof }
  /** A machine was removed from the relay. */
  | { readonly type: 'removed'; readonly identity: string }
  | { readonly type: 'closed'; readonly conn: number; readonly now: number }
  | { readonly type: 'tick'; readonly now: number };

/**
 * Effects to perform in order. A `store` of the session must be durable before later effects are sent. One of a call need not be:
 * its brain asks again until it has the result, and its machine keeps the result until then.
 */
export type RelayEffect =
  | { readonly type: 'send'; readonly conn: number; readonly text: string }
  | { readonly type: 'close'; readonly conn: number; readonly code: number; readonly reason: string }
  | { readonly type: 'store'; readonly what: 'session'; readonly session: SessionRecord }
  | { readonly type: 'store'; readonly what: 'call'; readonly id: string; readonly call: RelayedCall | undefined };

export type RelayStep = readonly [state: RelayState, effects: readonly RelayEffect[]];
export type Then = (state: RelayState) => RelayStep;

export function newRelay(inst: string, access: RelayAccess, stored: StoredSession = NEW_SESSION): RelayState {
  return { inst, access, ...stored, parties: new Map(), connections: new Map(), behind: new Set() };
}

/** Changes the session and stores it. */
export const putSession =
  (change: Partial<SessionRecord>): Then =>
  (state) => {
    const next = { ...state, ...change };
    const { epoch, ledger, hands, owner, grants } = next;
    return [next, [{ type: 'store', what: 'session', session: { epoch, ledger, hands, owner, grants } }]];
  };

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

/** Writes the records of these calls. */
const store =
  (ids: readonly string[]): Then =>
  (state) => {
    const behind = new Set(state.behind);
    for (const id of ids) behind.delete(id);
    return [{ ...state, behind }, ids.map((id) => ({ type: 'store', what: 'call', id, call: state.calls.get(id) }))];
  };

/** Writes all outdated records. */
export const catchUp: Then = (state) => store([...state.behind])(state);

/** Changes a call. Only its existence is written immediately, because most results are confirmed before they would be written. */
export const putCall =
  (id: string, call: RelayedCall | undefined): Then =>
  (state) => {
    const calls = changed(state.calls, id, call);
    if (call === undefined || call.result !== undefined) return [{ ...state, calls, behind: new Set(state.behind).add(id) }, []];
    return store([id, ...[...state.behind].filter((one) => one !== id && !calls.has(one))])({ ...state, calls });
  };

export const close =
  (conn: number, reason: CloseReason): Then =>
  (state) => [
    { ...state, connections: changed(state.connections, conn, undefined) },
    [{ type: 'close', conn, code: CLOSE_CODES[reason].code, reason: CLOSE_CODES[reason].text }],
  ];

export const texts = (conn: number | undefined, sent: readonly string[]): RelayEffect[] =>
  conn === undefined ? [] : sent.map((text) => ({ type: 'send', conn, text }));

/** Sends to a known party. Frames that cannot be sent are recovered when the party starts a new channel. */
export const tell =
  (inst: string | undefined, frame: DataFrame, kind: 'sure' | 'lossy' = 'sure'): Then =>
  (state) => {
    const party = inst === undefined ? undefined : state.parties.get(inst);
    if (party === undefined) return [state, []];
    const [channel, sent] = (kind === 'sure' ? send : sendLossy)(party.channel, frame);
    const told = chain(state, putParty({ ...party, channel }), emit(...texts(party.conn, sent)));
    // The party accepts no data. Disconnect it before it uses more memory; it starts a new channel next time.
    if (!channel.lost || party.channel.lost || party.conn === undefined) return told;
    const [next, effects] = close(party.conn, 'flow')(told[0]);
    return [next, [...told[1], ...effects]];
  };

export const toHands =
  (frame: DataFrame): Then =>
  (state) =>
    tell(state.hands, frame)(state);
