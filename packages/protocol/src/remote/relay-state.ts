import { send, sendLossy, type Channel } from './channel.ts';
import { CLOSE_CODES, type CloseReason } from './close-codes.ts';
import { withSum } from './frame-sum.ts';
import type { DataFrame, DataFrames, UnknownFrame } from './frames.ts';
import type { RemoteGrant } from './grant.ts';
import { SETTLE_MS } from './settle-times.ts';

/** A party of a session, across connections. */
export interface Party {
  readonly role: 'hands' | 'brain';
  readonly inst: string;
  /** Id of its proven device; undefined at an open relay. */
  readonly device: string | undefined;
  readonly conn: number | undefined;
  readonly channel: Channel;
  readonly seen: number;
  /** Calls to send when there is room: their requests to hands, their results to a brain. */
  readonly due: ReadonlySet<string>;
  /** Frames of a brain that wait for room at the hands. They are not received yet: the brain sends them again on another connection. */
  readonly inbox: readonly HeldFrame[];
}

/** A numbered frame with its length. */
export interface HeldFrame {
  readonly seq: number;
  readonly frame: DataFrame | UnknownFrame;
  readonly size: number;
}

interface Connection {
  /** Texts of other connections do not fit it. */
  readonly nonce: string;
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
  /** The time of the current event. */
  readonly now: number;
  /** Milliseconds for which an open call needs no record. 0 where another relay may take over the session. */
  readonly settleMs: number;
  /** Calls that have a record. */
  readonly written: ReadonlySet<string>;
  /**
   * Calls with missing or outdated records, and when to write them. Both ends have the current state, so most wait until the relay is
   * idle (`Infinity`).
   */
  readonly behind: ReadonlyMap<string, number>;
  /** Whether a `settle` event will come. */
  readonly settling: boolean;
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
  | { readonly type: 'removed'; readonly identity: string; readonly now: number }
  | { readonly type: 'closed'; readonly conn: number; readonly now: number }
  /** The answer to a `settle` effect. */
  | { readonly type: 'settle'; readonly now: number }
  | { readonly type: 'tick'; readonly now: number };

/**
 * Effects to perform in order. A `store` of the session must be durable before later effects are sent. One of a call need not be:
 * its brain asks again until it has the result, and its machine keeps the result until then.
 */
export type RelayEffect =
  | { readonly type: 'send'; readonly conn: number; readonly text: string }
  | { readonly type: 'close'; readonly conn: number; readonly code: number; readonly reason: string }
  /** Answer with `settle` after this time. */
  | { readonly type: 'settle'; readonly afterMs: number }
  | { readonly type: 'store'; readonly what: 'session'; readonly session: SessionRecord }
  | { readonly type: 'store'; readonly what: 'call'; readonly id: string; readonly call: RelayedCall | undefined };

export type RelayStep = readonly [state: RelayState, effects: readonly RelayEffect[]];
export type Then = (state: RelayState) => RelayStep;

/** @param settleMs see {@link RelayState.settleMs} */
export function newRelay(inst: string, access: RelayAccess, stored: StoredSession = NEW_SESSION, settleMs = SETTLE_MS): RelayState {
  const written = new Set(stored.calls.keys());
  const parties = { parties: new Map(), connections: new Map() };
  return { inst, access, ...stored, ...parties, now: 0, settleMs, written, behind: new Map(), settling: false };
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

/** Writes the records of these calls, and deletes those of calls that are over. */
const store =
  (ids: readonly string[]): Then =>
  (state) => {
    const over = [...state.behind.keys()].filter((id) => !ids.includes(id) && !state.calls.has(id));
    const behind = new Map(state.behind);
    const written = new Set(state.written);
    const effects = [...ids, ...over].map((id): RelayEffect => {
      const call = state.calls.get(id);
      behind.delete(id);
      if (call === undefined) written.delete(id);
      else written.add(id);
      return { type: 'store', what: 'call', id, call };
    });
    return [{ ...state, behind, written }, effects];
  };

/** Writes all outdated records. */
export const catchUp: Then = (state) => (state.behind.size === 0 ? [state, []] : store([...state.behind.keys()])(state));

/** Asks for a `settle` event when the next call is due. */
const settleNext: Then = (state) => {
  const next = Math.min(...state.behind.values());
  if (state.settling || !Number.isFinite(next)) return [state, []];
  return [{ ...state, settling: true }, [{ type: 'settle', afterMs: Math.max(1, next - state.now) }]];
};

/** Writes the calls that are due. */
export const settle: Then = (state) => {
  // A time too far in the future: the clock was set back.
  const isDue = (at: number): boolean => at <= state.now || (Number.isFinite(at) && at > state.now + state.settleMs);
  const due = [...state.behind].filter(([, at]) => isDue(at)).map(([id]) => id);
  return chain({ ...state, settling: false }, ...(due.length === 0 ? [] : [store(due)]), settleNext);
};

/** Changes a call. It is written if it stays open. A result is usually confirmed before it would be written. */
export const putCall =
  (id: string, call: RelayedCall | undefined): Then =>
  (state) => {
    const next = { ...state, calls: changed(state.calls, id, call) };
    if (call === undefined && !state.written.has(id)) return [{ ...next, behind: changed(state.behind, id, undefined) }, []];
    if (call === undefined || call.result !== undefined) return [{ ...next, behind: changed(state.behind, id, Number.POSITIVE_INFINITY) }, []];
    if (state.settleMs === 0) return store([id])(next);
    const at = Math.min(state.behind.get(id) ?? Number.POSITIVE_INFINITY, state.now + state.settleMs);
    return settleNext({ ...next, behind: changed(state.behind, id, at) });
  };

export const close =
  (conn: number, reason: CloseReason): Then =>
  (state) => [
    { ...state, connections: changed(state.connections, conn, undefined) },
    [{ type: 'close', conn, code: CLOSE_CODES[reason].code, reason: CLOSE_CODES[reason].text }],
  ];

/** Sends texts on a connection, with the sums that fit it. A closed one gets nothing. */
export function texts({ connections }: RelayState, conn: number | undefined, sent: readonly string[]): RelayEffect[] {
  const connection = conn === undefined ? undefined : connections.get(conn);
  if (conn === undefined || connection === undefined) return [];
  return sent.map((text) => ({ type: 'send', conn, text: withSum(connection.nonce, text) }));
}

/** Sends to a known party. Frames that cannot be sent are recovered when the party starts a new channel. */
export const tell =
  (inst: string | undefined, frame: DataFrame, kind: 'sure' | 'lossy' = 'sure'): Then =>
  (state) => {
    const party = inst === undefined ? undefined : state.parties.get(inst);
    if (party === undefined) return [state, []];
    const [channel, sent] = (kind === 'sure' ? send : sendLossy)(party.channel, frame);
    const told = chain(state, putParty({ ...party, channel }), emit(...texts(state, party.conn, sent)));
    // The party accepts no data. Disconnect it before it uses more memory; it starts a new channel next time.
    if (!channel.lost || party.channel.lost || party.conn === undefined) return told;
    const [next, effects] = close(party.conn, 'flow')(told[0]);
    return [next, [...told[1], ...effects]];
  };

export const toHands =
  (frame: DataFrame): Then =>
  (state) =>
    tell(state.hands, frame)(state);

/** Counts from now what is in the future, because the clock was set back. A silent connection would stay until the clock is there again. */
export function setBack(state: RelayState, now: number): RelayState {
  const ahead = [...state.connections].filter(([, { heard, openedAt }]) => heard > now || openedAt > now);
  const parted = [...state.parties].filter(([, { seen }]) => seen > now);
  if (ahead.length + parted.length === 0) return state;
  const connections = new Map(state.connections);
  for (const [conn, one] of ahead) connections.set(conn, { ...one, heard: Math.min(one.heard, now), openedAt: Math.min(one.openedAt, now) });
  const parties = new Map(state.parties);
  for (const [inst, one] of parted) parties.set(inst, { ...one, seen: now });
  return { ...state, connections, parties };
}
