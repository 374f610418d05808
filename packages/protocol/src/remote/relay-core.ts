import { acknowledge, receive, suspend, tellIfBehind } from './channel.ts';
import { deviceOf } from './grant.ts';
import { checkSum, SUM_LENGTH, withSum } from './frame-sum.ts';
import { controlText, MAX_FRAME, parseText, PROTOCOL_VERSION, type ControlFrames, type DataFrame, type DataFrames } from './frames.ts';
import { greet, tellBrains } from './relay-greet.ts';
import { fromBrain } from './relay-requests.ts';
import { handsHaveRoom, hold, sendDue, takeHeld, tellResult } from './relay-room.ts';
import {
  catchUp,
  chain,
  changed,
  close,
  emit,
  putCall,
  putParty,
  putSession,
  setBack,
  settle,
  tell,
  texts,
  type HeldFrame,
  type Party,
  type RelayedCall,
  type RelayEvent,
  type RelayState,
  type RelayStep,
  type Then,
} from './relay-state.ts';

/** Milliseconds in which a connection must identify itself. */
const HELLO_MS = 5_000;
/** Milliseconds of silence after which a connection is dead. Parties ping after 25 s. */
const DEAD_AFTER_MS = 60_000;
/** Milliseconds to keep the channel of a disconnected party. After that it starts a new one. */
const KEEP_CHANNEL_MS = 600_000;
/** Milliseconds to keep calls that are never collected. */
const KEEP_CALL_MS = 7 * 86_400_000;

/** Forwards a question to the brain that made the call, or to the other device for which it is sealed. */
function onQuestion(state: RelayState, frame: DataFrames['approval_request']): RelayStep {
  const call = state.calls.get(frame.tool_call_id);
  const to = frame.auth?.to;
  if (to === undefined || to === call?.device) return tell(call?.owner, frame)(state);
  const there = [...state.parties.values()].filter(({ device }) => device === to);
  return chain(state, ...there.map(({ inst }) => tell(inst, frame)));
}

/** Handles a rejection by the hands: the call is not forwarded again. */
function onError(state: RelayState, frame: DataFrames['error']): RelayStep {
  const { tool_call_id: id = '', code } = frame;
  const known = state.calls.get(id);
  const told = tell(known?.owner, frame);
  // With a reused id, what is kept here is the second call: it would reject the first one, which continues. Without a frame, it is the first.
  const isSecond = code === 'id_reuse' && known?.frame !== undefined && known.result === undefined;
  const isOver = ((code === 'denied' || code === 'malformed') && known !== undefined) || isSecond;
  return chain(state, told, ...(isOver ? [putCall(id, undefined)] : []));
}

function fromHands(state: RelayState, frame: DataFrame): RelayStep {
  const ownerOf = (id: string | undefined): string | undefined => (id === undefined ? undefined : state.calls.get(id)?.owner);
  switch (frame.type) {
    case 'tool_result': {
      const known = state.calls.get(frame.tool_call_id);
      // No brain here waits for it. The hands keep it until one asks.
      if (known === undefined) return [state, []];
      const ended: RelayedCall = { ...known, result: frame };
      return chain(state, putCall(frame.tool_call_id, ended), tellResult(frame.tool_call_id, ended));
    }
    case 'tool_progress':
      return tell(ownerOf(frame.tool_call_id), frame, 'lossy')(state);
    case 'tool_accepted':
      return tell(ownerOf(frame.tool_call_id), frame)(state);
    case 'approval_request':
      return onQuestion(state, frame);
    case 'error':
      return onError(state, frame);
    case 'state':
    case 'chunk':
    case 'forward':
      return tell(frame.brain, frame)(state);
    case 'tool_call':
    case 'received':
    case 'cancel':
    case 'read':
    case 'sync':
    case 'approval_decision':
    case 'peer':
    default:
      return [state, []];
  }
}

/** Applies the machine's grants: disconnects revoked devices and drops their calls. */
function onGrants(state: RelayState, party: Party, { grants }: ControlFrames['grants']): RelayStep {
  if (party.role !== 'hands' || party.inst !== state.hands) return [state, []];
  const may = new Set(grants.map(deviceOf));
  const revoked = [...state.parties.values()].filter(({ role, device }) => role === 'brain' && device !== undefined && !may.has(device));
  const dropped = [...state.calls].filter(([, { device }]) => device !== undefined && !may.has(device));
  return chain(
    { ...state, parties: new Map([...state.parties].filter(([, one]) => !revoked.includes(one))) },
    putSession({ grants }),
    ...revoked.flatMap(({ conn }) => (conn === undefined ? [] : [close(conn, 'out_of_scope')])),
    ...dropped.map(([id]) => putCall(id, undefined)),
    catchUp,
  );
}

function onData(state: RelayState, conn: number, party: Party, text: string): RelayStep {
  const parsed = parseText(text);
  if (parsed.kind !== 'control' && parsed.kind !== 'data') return close(conn, 'malformed')(state);
  if (parsed.kind === 'control') {
    const { frame } = parsed;
    if (frame.type === 'ping') return [state, texts(state, conn, ['pong'])];
    if (frame.type === 'grants') return onGrants(state, party, frame);
    if (frame.type !== 'ack') return frame.type === 'pong' ? [state, []] : close(conn, 'malformed')(state);
    const [channel, sent] = acknowledge(party.channel, frame.ack, frame.credit);
    return chain(state, putParty({ ...party, channel }), emit(...texts(state, conn, sent)));
  }
  const held = { seq: parsed.seq, frame: parsed.frame, size: text.length - SUM_LENGTH };
  const [channel, sent] = acknowledge(party.channel, parsed.ack);
  const known = { ...party, channel };
  const [next, effects] = chain(state, putParty(known), emit(...texts(state, conn, sent)));
  const waits = party.role === 'brain' && (party.inbox.length > 0 || !handsHaveRoom(next));
  const [last, more] = waits ? hold(next, conn, known, held) : onFrame(next, conn, known, held);
  return [last, [...effects, ...more]];
}

/** Receives and handles a frame. */
function onFrame(state: RelayState, conn: number, party: Party, { seq, frame, size }: HeldFrame): RelayStep {
  const [channel, arrival, acks] = receive(party.channel, seq, size);
  if (arrival === 'gap') return close(conn, 'gap')(state);
  if (arrival === 'overrun') return close(conn, 'flow')(state);
  if (arrival === 'seen') return [state, []];
  const taken = chain(state, putParty({ ...party, channel, seen: state.now }), emit(...texts(state, conn, acks)));
  const act = (current: RelayState): RelayStep => {
    if (frame.type !== 'unknown') return party.role === 'hands' ? fromHands(current, frame) : fromBrain(current, party, frame, state.now);
    if (!frame.must) return [current, []];
    return tell(party.inst, { type: 'error', code: 'unsupported', message: 'A frame of a newer version cannot be read.' })(current);
  };
  const [next, effects] = act(taken[0]);
  return [next, [...taken[1], ...effects]];
}

const sumOf = (nonce: string, text: string): ReturnType<typeof checkSum> => (text === 'ping' || text === 'pong' ? 'fits' : checkSum(nonce, text));

function onText(state: RelayState, { conn, text, now, proof }: Extract<RelayEvent, { type: 'text' }>): RelayStep {
  const connection = state.connections.get(conn);
  // Already closed. Ignore texts in transit.
  if (connection === undefined) return [state, []];
  if (text.length > MAX_FRAME) return close(conn, 'too_large')(state);
  const heard: RelayState = { ...state, connections: changed(state.connections, conn, { ...connection, heard: now }) };
  const party = connection.inst === undefined ? undefined : heard.parties.get(connection.inst);
  if (party !== undefined && party.conn !== conn) return close(conn, 'replaced')(heard);
  const sum = sumOf(connection.nonce, text);
  // Changed on the way, or of another connection. It says nothing: the line is resumed, and its sender repeats what was not received.
  if (sum === 'damaged' || (sum === 'none' && party !== undefined)) return close(conn, 'malformed')(heard);
  if (party !== undefined) return onData(heard, conn, party, text);
  const parsed = parseText(text);
  // A party of the first version sends no sums. It gets to know that it is too old.
  const isHello = parsed.kind === 'control' && parsed.frame.type === 'hello' && (sum === 'fits' || parsed.frame.v !== PROTOCOL_VERSION);
  return isHello ? greet(heard, conn, parsed.frame, proof, now) : close(conn, 'malformed')(heard);
}

function onClosed(state: RelayState, conn: number, now: number): RelayStep {
  const party = [...state.parties.values()].find((one) => one.conn === conn);
  const gone: RelayState = { ...state, connections: changed(state.connections, conn, undefined) };
  if (party === undefined) return [gone, []];
  const away = putParty({ ...party, conn: undefined, channel: suspend(party.channel), seen: now, inbox: [] });
  return chain(gone, away, ...(party.role === 'hands' ? [tellBrains] : []));
}

/** Disconnects a machine that was removed from the relay, and the brains of its session. */
function onRemoved(state: RelayState, identity: string): RelayStep {
  if (state.owner !== identity) return [state, []];
  const conns = [...state.parties.values()].flatMap(({ conn }) => (conn === undefined ? [] : [conn]));
  return chain(state, putSession({ owner: undefined, grants: undefined }), ...conns.map((conn) => close(conn, 'unauthorized')));
}

function onTick(before: RelayState, now: number): RelayStep {
  const state = setBack(before, now);
  const dead = [...state.connections].filter(([, { inst, openedAt, heard }]) =>
    inst === undefined ? now - openedAt > HELLO_MS : now - heard > DEAD_AFTER_MS,
  );
  const expired = new Set((state.grants ?? []).filter(({ expires }) => now >= expires).map(deviceOf));
  const over = [...state.parties.values()].flatMap(({ role, device = '', conn }) =>
    role === 'brain' && conn !== undefined && expired.has(device) ? [conn] : [],
  );
  const stale = [...state.calls].filter(([, { at }]) => now - at > KEEP_CALL_MS);
  const kept = [...state.parties].filter(([, { conn, seen }]) => conn !== undefined || now - seen <= KEEP_CHANNEL_MS);
  const behind = kept.map(([inst]): Then => (current) => {
    const party = current.parties.get(inst);
    if (party === undefined) return [current, []];
    const [channel, acks] = tellIfBehind(party.channel);
    return chain(current, ...(acks.length > 0 ? [putParty({ ...party, channel }), emit(...texts(current, party.conn, acks))] : []));
  });
  return chain(
    kept.length === state.parties.size ? state : { ...state, parties: new Map(kept) },
    ...dead.map(([conn]) => close(conn, 'silent')),
    ...over.map((conn) => close(conn, 'out_of_scope')),
    ...stale.map(([id]) => putCall(id, undefined)),
    ...behind,
    catchUp,
  );
}

/** Computes the relay's next state and effects for an event. Pure: the same state and event always give the same result. */
export const relayStep = (before: RelayState, event: RelayEvent): RelayStep =>
  chain({ ...before, now: event.now }, (state) => onEvent(state, event), sendDue, takeHeld(onFrame));

function onEvent(state: RelayState, event: RelayEvent): RelayStep {
  switch (event.type) {
    case 'opened': {
      const connection = { nonce: event.nonce, openedAt: event.now, heard: event.now, inst: undefined };
      const time = Math.round(event.now);
      const challenge = controlText({ type: 'challenge', v: [PROTOCOL_VERSION], relay: state.inst, nonce: event.nonce, time, appends: true });
      return [
        { ...state, connections: changed(state.connections, event.conn, connection) },
        [{ type: 'send', conn: event.conn, text: withSum('', challenge) }],
      ];
    }
    case 'text':
      return onText(state, event);
    case 'removed':
      return onRemoved(state, event.identity);
    case 'closed':
      return onClosed(state, event.conn, event.now);
    case 'settle':
      return settle(state);
    case 'tick':
    default:
      return onTick(state, event.now);
  }
}
