import { acknowledge, begin, canResume, creditOf, NEW_CHANNEL, receive, resume, suspend, tellIfBehind } from './channel.ts';
import { controlText, MAX_FRAME, parseText, PROTOCOL_VERSION, type ControlFrames, type DataFrame, type DataFrames, type Peer } from './frames.ts';
import {
  chain,
  changed,
  close,
  emit,
  putCall,
  putParty,
  tell,
  texts,
  toHands,
  type Party,
  type RelayedCall,
  type RelayEvent,
  type RelayState,
  type RelayStep,
  type Then,
} from './relay-state.ts';

/** A connection has to say who it is within this time. */
const HELLO_MS = 5_000;
/** Nothing was heard for so long: the line is dead. Parties ask after 25 s. */
const DEAD_AFTER_MS = 60_000;
/** A channel is kept so long for a party to come back to. After that it begins anew. */
const KEEP_CHANNEL_MS = 600_000;
/** Calls that nobody wants any more. */
const KEEP_CALL_MS = 7 * 86_400_000;
const MAX_CALLS = 1_000;
const MAX_BRAINS = 32;

const isOnline = (state: RelayState): boolean => state.hands !== undefined && state.parties.get(state.hands)?.conn !== undefined;

const peerOf = (state: RelayState): Peer => ({
  online: isOnline(state),
  epoch: state.epoch,
  ...(state.ledger === undefined ? {} : { ledger: state.ledger }),
});

/** Tells the brains how it stands with the hands. Those who are away hear it when they come back. */
function tellBrains(state: RelayState): RelayStep {
  const there = [...state.parties.values()].filter(({ role, conn }) => role === 'brain' && conn !== undefined);
  return chain(state, ...there.map(({ inst }) => tell(inst, { type: 'peer', ...peerOf(state) })));
}

/** Says to the hands what has to be done about a call. */
const pass = ({ frame, cancel }: RelayedCall): Then => (cancel !== undefined ? toHands(cancel) : frame !== undefined ? toHands(frame) : emit());

function greet(state: RelayState, conn: number, hello: ControlFrames['hello'], now: number): RelayStep {
  if (hello.v !== PROTOCOL_VERSION) return close(conn, 'version')(state);
  const isHands = hello.role === 'hands';
  // Another machine has claimed the session since: it wins, and this one must not come back.
  if (isHands && hello.epoch > 0 && hello.epoch < state.epoch && hello.inst !== state.hands) return close(conn, 'replaced')(state);
  const known = state.parties.get(hello.inst);
  if (known !== undefined && known.role !== hello.role) return close(conn, 'malformed')(state);
  const brains = [...state.parties.values()].filter(({ role }) => role === 'brain').length;
  if (!isHands && known === undefined && brains >= MAX_BRAINS) return close(conn, 'busy')(state);
  const goesOn = known !== undefined && hello.recv?.relay === state.inst && canResume(known.channel, hello.recv.seq);
  const [channel, again] = goesOn ? resume(known.channel, hello.recv?.seq ?? 0, hello.credit) : [begin(hello.credit), []];
  const former = isHands && state.hands !== undefined && state.hands !== hello.inst ? state.parties.get(state.hands) : undefined;
  // A relay that has lost its records must not grant a number twice.
  const epoch = isHands ? Math.max(state.epoch, hello.epoch) + 1 : state.epoch;
  const claimed: RelayState = isHands
    ? {
        ...state,
        epoch,
        ledger: hello.ledger,
        hands: hello.inst,
        parties: former === undefined ? state.parties : changed(state.parties, former.inst, undefined),
      }
    : state;
  const party: Party = { role: hello.role, inst: hello.inst, conn, channel, seen: now };
  const welcome = (now_: RelayState): RelayStep => {
    const text = controlText({
      type: 'welcome',
      epoch,
      resumed: goesOn,
      recv: goesOn ? channel.received.frames : 0,
      credit: creditOf(goesOn ? channel : NEW_CHANNEL),
      ...(isHands ? {} : { peer: peerOf(now_) }),
    });
    return [now_, texts(conn, [text, ...again])];
  };
  const pending = [...claimed.calls].filter(([, { result }]) => result === undefined);
  return chain(
    { ...claimed, connections: changed(claimed.connections, conn, { openedAt: now, heard: now, inst: hello.inst }) },
    ...(isHands ? [emit({ type: 'store', what: 'session', session: { epoch, ledger: hello.ledger, hands: hello.inst } })] : []),
    ...(former?.conn === undefined ? [] : [close(former.conn, 'replaced')]),
    ...(known?.conn === undefined ? [] : [close(known.conn, 'done')]),
    putParty(party),
    welcome,
    ...(isHands && !goesOn ? pending.map(([, call]) => pass(call)) : []),
    ...(isHands ? [tellBrains] : []),
  );
}

function onCall(state: RelayState, owner: string, frame: DataFrames['tool_call'], now: number): RelayStep {
  const known = state.calls.get(frame.id);
  const refuse = (code: 'id_reuse' | 'backlog_full', message: string): RelayStep =>
    tell(owner, { type: 'error', code, message, tool_call_id: frame.id })(state);
  if (known?.frame !== undefined && known.frame.hash !== frame.hash) return refuse('id_reuse', 'This id was used for another call.');
  const full = known === undefined && state.calls.size >= MAX_CALLS;
  const spare = full
    ? [...state.calls].find(([, { owner: of, result }]) => result !== undefined && state.parties.get(of)?.conn === undefined)
    : undefined;
  if (full && spare === undefined) return refuse('backlog_full', 'Too many calls wait for this machine.');
  // Its brain is away, and hands have the result too.
  if (spare !== undefined) return chain(state, putCall(spare[0], undefined), (current) => onCall(current, owner, frame, now));
  const call: RelayedCall = { owner, frame, result: known?.result, cancel: known?.cancel, at: known?.at ?? now };
  if (known?.result !== undefined) return chain(state, putCall(frame.id, call), tell(owner, known.result));
  // One that says it again does not know how it stands: hands say so.
  return chain(state, putCall(frame.id, call), pass(call));
}

/** A brain asks how its calls stand: what is here is answered here. */
function onSync(state: RelayState, owner: string, ids: readonly string[], now: number): RelayStep {
  const steps: Then[] = [];
  const unknown: string[] = [];
  for (const id of ids) {
    const known = state.calls.get(id);
    if (known?.result !== undefined) steps.push(tell(owner, known.result));
    else unknown.push(id);
    const adopted = known ?? { owner, frame: undefined, result: undefined, cancel: undefined, at: now };
    if (known === undefined ? state.calls.size + unknown.length <= MAX_CALLS : known.owner !== owner) steps.push(putCall(id, { ...adopted, owner }));
  }
  return chain(state, ...steps, ...(unknown.length > 0 ? [toHands({ type: 'sync', calls: unknown })] : []));
}

function fromBrain(state: RelayState, owner: string, frame: DataFrame, now: number): RelayStep {
  switch (frame.type) {
    case 'tool_call':
      return onCall(state, owner, frame, now);
    case 'sync':
      return onSync(state, owner, frame.calls, now);
    case 'received':
      return chain(state, ...(state.calls.has(frame.tool_call_id) ? [putCall(frame.tool_call_id, undefined)] : []), toHands(frame));
    case 'cancel': {
      const known = state.calls.get(frame.tool_call_id) ?? { frame: undefined, result: undefined, at: now };
      return chain(state, putCall(frame.tool_call_id, { ...known, owner, cancel: frame }), toHands(frame));
    }
    case 'read':
      // The answer goes where it says, so it has to say who asks.
      return frame.brain === owner && isOnline(state) ? toHands(frame)(state) : [state, []];
    case 'approval_decision':
      return toHands(frame)(state);
    case 'tool_accepted':
    case 'tool_progress':
    case 'tool_result':
    case 'chunk':
    case 'state':
    case 'approval_request':
    case 'peer':
    case 'error':
    default:
      return [state, []];
  }
}

/** How calls stand, told to each brain of its own. */
function onState(state: RelayState, frame: DataFrames['state']): RelayStep {
  const byOwner = Map.groupBy(Object.entries(frame.calls), ([id]) => state.calls.get(id)?.owner);
  return chain(state, ...Array.from(byOwner, ([owner, entries]) => tell(owner, { type: 'state', calls: Object.fromEntries(entries) })));
}

function fromHands(state: RelayState, frame: DataFrame): RelayStep {
  const ownerOf = (id: string | undefined): string | undefined => (id === undefined ? undefined : state.calls.get(id)?.owner);
  switch (frame.type) {
    case 'tool_result': {
      const known = state.calls.get(frame.tool_call_id);
      // Nobody here waits for it: hands keep it until somebody asks.
      if (known === undefined) return [state, []];
      return chain(state, putCall(frame.tool_call_id, { ...known, result: frame }), tell(known.owner, frame));
    }
    case 'tool_progress':
      return tell(ownerOf(frame.tool_call_id), frame, 'lossy')(state);
    case 'tool_accepted':
    case 'approval_request':
    case 'error':
      return tell(ownerOf(frame.tool_call_id), frame)(state);
    case 'state':
      return onState(state, frame);
    case 'chunk':
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

function onData(state: RelayState, conn: number, party: Party, text: string, now: number): RelayStep {
  const parsed = parseText(text);
  if (parsed.kind === 'malformed' || parsed.kind === 'base') return close(conn, 'malformed')(state);
  if (parsed.kind === 'control') {
    const { frame } = parsed;
    if (frame.type === 'ping') return [state, texts(conn, ['pong'])];
    if (frame.type !== 'ack') return frame.type === 'pong' ? [state, []] : close(conn, 'malformed')(state);
    const [channel, sent] = acknowledge(party.channel, frame.ack, frame.credit);
    return chain(state, putParty({ ...party, channel }), emit(...texts(conn, sent)));
  }
  const [received, arrival, acks] = receive(party.channel, parsed.seq, text.length);
  if (arrival === 'gap') return close(conn, 'gap')(state);
  if (arrival === 'overrun') return close(conn, 'flow')(state);
  const [channel, sent] = acknowledge(received, parsed.ack);
  const { frame } = parsed;
  const taken = chain(state, putParty({ ...party, channel, seen: now }), emit(...texts(conn, [...acks, ...sent])));
  if (arrival === 'seen') return taken;
  const act = (current: RelayState): RelayStep => {
    if (frame.type !== 'unknown') return party.role === 'hands' ? fromHands(current, frame) : fromBrain(current, party.inst, frame, now);
    if (!frame.must) return [current, []];
    return tell(party.inst, { type: 'error', code: 'unsupported', message: 'A frame of a newer version cannot be read.' })(current);
  };
  const [next, effects] = act(taken[0]);
  return [next, [...taken[1], ...effects]];
}

function onText(state: RelayState, conn: number, text: string, now: number): RelayStep {
  const connection = state.connections.get(conn);
  // Closed already; what was on its way does not count.
  if (connection === undefined) return [state, []];
  if (text.length > MAX_FRAME) return close(conn, 'too_large')(state);
  const heard: RelayState = { ...state, connections: changed(state.connections, conn, { ...connection, heard: now }) };
  const party = connection.inst === undefined ? undefined : heard.parties.get(connection.inst);
  if (party !== undefined) return party.conn === conn ? onData(heard, conn, party, text, now) : close(conn, 'replaced')(heard);
  const parsed = parseText(text);
  if (parsed.kind === 'control' && parsed.frame.type === 'hello') return greet(heard, conn, parsed.frame, now);
  return close(conn, 'malformed')(heard);
}

function onClosed(state: RelayState, conn: number, now: number): RelayStep {
  const party = [...state.parties.values()].find((one) => one.conn === conn);
  const gone: RelayState = { ...state, connections: changed(state.connections, conn, undefined) };
  if (party === undefined) return [gone, []];
  const away = putParty({ ...party, conn: undefined, channel: suspend(party.channel), seen: now });
  return chain(gone, away, ...(party.role === 'hands' ? [tellBrains] : []));
}

function onTick(state: RelayState, now: number): RelayStep {
  const dead = [...state.connections].filter(([, { inst, openedAt, heard }]) =>
    inst === undefined ? now - openedAt > HELLO_MS : now - heard > DEAD_AFTER_MS,
  );
  const stale = [...state.calls].filter(([, { at }]) => now - at > KEEP_CALL_MS);
  const kept = [...state.parties].filter(([, { conn, seen }]) => conn !== undefined || now - seen <= KEEP_CHANNEL_MS);
  const behind = kept.map(([inst]): Then => (current) => {
    const party = current.parties.get(inst);
    if (party === undefined) return [current, []];
    const [channel, acks] = tellIfBehind(party.channel);
    return chain(current, ...(acks.length > 0 ? [putParty({ ...party, channel }), emit(...texts(party.conn, acks))] : []));
  });
  return chain(
    kept.length === state.parties.size ? state : { ...state, parties: new Map(kept) },
    ...dead.map(([conn]) => close(conn, 'silent')),
    ...stale.map(([id]) => putCall(id, undefined)),
    ...behind,
  );
}

/** What an event comes to at a relay. Pure: the same state and event always give the same. */
export function relayStep(state: RelayState, event: RelayEvent): RelayStep {
  switch (event.type) {
    case 'opened': {
      const connection = { openedAt: event.now, heard: event.now, inst: undefined };
      const challenge = controlText({ type: 'challenge', v: [PROTOCOL_VERSION], relay: state.inst, nonce: event.nonce });
      return [{ ...state, connections: changed(state.connections, event.conn, connection) }, texts(event.conn, [challenge])];
    }
    case 'text':
      return onText(state, event.conn, event.text, event.now);
    case 'closed':
      return onClosed(state, event.conn, event.now);
    case 'tick':
    default:
      return onTick(state, event.now);
  }
}
