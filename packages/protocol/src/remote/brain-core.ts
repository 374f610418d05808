import { callHash } from './call-hash.ts';
import type { DataFrame, DataFrames, Peer } from './frames.ts';
import type { FinishedCall, ResultFacts } from './ledger.ts';
import { linkStep, newLink, sendFrame, startLink, type Incoming, type Link, type LinkEffect, type LinkEvent, type LinkStep } from './link.ts';
import { CANCELLED, ownResult } from './own-results.ts';
import { sha256 } from './sha256.ts';

/** Chunks that are asked for at once. */
const READ_AHEAD = 8;
/** Nothing came for so long after something was asked for: it is asked for again. */
const ASK_AGAIN_MS = 5_000;

/** A call as the brain asks for it. */
export interface BrainCall {
  readonly tool: string;
  readonly args: unknown;
  readonly dialect?: string;
  readonly at: number;
  readonly queueMs?: number;
  readonly deadlineMs?: number;
}

/** A call whose result is not here. */
export interface OpenCall {
  readonly call: BrainCall;
  readonly hash: string;
  /** Where it may run. Fixed before it is first sent, so that it cannot run on two machines. */
  readonly ledger: string | undefined;
  readonly phase: 'held' | 'sent' | 'accepted';
  readonly cancelled: boolean;
  /** A result that is being read. */
  readonly reading: { readonly facts: ResultFacts; readonly body: string; readonly offset: number; readonly expected: number } | undefined;
  readonly askedAt: number;
}

export interface BrainState {
  readonly link: Link;
  readonly peer: Peer | undefined;
  readonly calls: ReadonlyMap<string, OpenCall>;
  /** Whether the result of a call is here for good. */
  readonly isDone: (id: string) => boolean;
}

export type BrainEvent =
  | LinkEvent
  /** What was under way when the brain last stopped. */
  | { readonly type: 'boot'; readonly calls: ReadonlyMap<string, OpenCall> }
  | { readonly type: 'call'; readonly id: string; readonly call: BrainCall }
  | { readonly type: 'cancel'; readonly id: string }
  | { readonly type: 'say'; readonly frame: DataFrames['approval_decision'] | DataFrames['read'] };

export type BrainEffect =
  | LinkEffect
  /** Durable before anything after it: the call, before it is sent. */
  | { readonly type: 'keep'; readonly id: string; readonly call: OpenCall }
  /** Durable before hands are told that they need not keep it. */
  | { readonly type: 'deliver'; readonly id: string; readonly result: FinishedCall }
  | { readonly type: 'refuse'; readonly id: string; readonly code: DataFrames['error']['code']; readonly message: string }
  | { readonly type: 'hear'; readonly frame: DataFrames['tool_accepted' | 'tool_progress' | 'approval_request' | 'chunk'] }
  | { readonly type: 'peer'; readonly peer: Peer };

export type BrainStep = readonly [state: BrainState, effects: readonly BrainEffect[]];
type Then = (state: BrainState) => BrainStep;

export const newBrain = (inst: string, isDone: BrainState['isDone']): BrainState => ({
  link: newLink({ role: 'brain', inst }),
  peer: undefined,
  calls: new Map(),
  isDone,
});

export function startBrain(state: BrainState): BrainStep {
  const { link, effects } = startLink(state.link);
  return [{ ...state, link }, effects];
}

function chain(state: BrainState, ...steps: readonly Then[]): BrainStep {
  const effects: BrainEffect[] = [];
  let current = state;
  for (const next of steps) {
    const [made, more] = next(current);
    current = made;
    effects.push(...more);
  }
  return [current, effects];
}

const emit =
  (...effects: readonly BrainEffect[]): Then =>
  (state) => [state, effects];

const say =
  (frame: DataFrame): Then =>
  (state) => {
    const { link, effects } = sendFrame(state.link, frame);
    return [{ ...state, link }, effects];
  };

const put =
  (id: string, call: OpenCall | undefined): Then =>
  (state) => {
    const calls = new Map(state.calls);
    if (call === undefined) calls.delete(id);
    else calls.set(id, call);
    return [{ ...state, calls }, []];
  };

/** Sends a call, where it is known for which ledger; else it is held until hands were seen. Of a cancelled one the cancel says it all. */
const sendCall =
  (id: string, open: OpenCall): Then =>
  (state) => {
    const ledger = open.ledger ?? state.peer?.ledger;
    if (open.cancelled && open.ledger !== undefined) return say({ type: 'cancel', tool_call_id: id, ledger: open.ledger })(state);
    if (ledger === undefined || state.link.phase !== 'up') return put(id, { ...open, phase: 'held' })(state);
    const { tool, args, dialect, at, queueMs, deadlineMs } = open.call;
    const sent: OpenCall = { ...open, ledger, phase: 'sent' };
    return chain(
      state,
      put(id, sent),
      // Before it is first sent it has to be remembered where it went.
      ...(open.ledger === undefined ? [emit({ type: 'keep', id, call: sent })] : []),
      say({
        type: 'tool_call',
        id,
        tool,
        args,
        hash: open.hash,
        ledger,
        at,
        ...(dialect === undefined ? {} : { dialect }),
        ...(queueMs === undefined ? {} : { queue_ms: queueMs }),
        ...(deadlineMs === undefined ? {} : { deadline_ms: deadlineMs }),
      }),
    );
  };

/** What is known of a result whose body is on a machine that was replaced. */
const UNREADABLE = ownResult(
  'interrupted',
  'Error: The call ended, but its result is on a machine that was replaced. Look at what it did before you repeat it.',
);

const readOn =
  (id: string, open: OpenCall, now: number): Then =>
  (state) => {
    const { reading } = open;
    if (reading === undefined) return [state, []];
    if (state.peer?.online === true && state.peer.ledger !== open.ledger) return complete(id, UNREADABLE)(state);
    return chain(
      state,
      put(id, { ...open, reading: { ...reading, expected: READ_AHEAD }, askedAt: now }),
      say({ type: 'read', brain: state.link.identity.inst, of: 'result', name: id, from: reading.offset, chunks: READ_AHEAD }),
    );
  };

/** Says again all that may have been lost. Each of it may arrive twice without harm. */
function reconcile(state: BrainState, now: number): BrainStep {
  const steps: Then[] = [];
  const accepted: string[] = [];
  for (const [id, open] of state.calls) {
    if (open.reading !== undefined) steps.push(readOn(id, open, now));
    else if (open.phase === 'accepted') {
      accepted.push(id);
      if (open.cancelled) steps.push(sendCall(id, open));
    } else steps.push(sendCall(id, open));
  }
  for (let from = 0; from < accepted.length; from += 500) steps.unshift(say({ type: 'sync', calls: accepted.slice(from, from + 500) }));
  return chain(state, ...steps);
}

/** Keeps a result for good, and then lets hands forget it. */
const complete = (id: string, result: FinishedCall): Then => {
  return (state) => chain(state, put(id, undefined), emit({ type: 'deliver', id, result }), say({ type: 'received', tool_call_id: id }));
};

function onResult(state: BrainState, { tool_call_id: id, body, ...facts }: DataFrames['tool_result'], now: number): BrainStep {
  const open = state.calls.get(id);
  if (open === undefined) return state.isDone(id) ? say({ type: 'received', tool_call_id: id })(state) : [state, []];
  const { status, bytes, sha256: hash } = facts;
  if (body !== undefined && sha256(body) === hash) return complete(id, { status, bytes, sha256: hash, body })(state);
  if (open.reading !== undefined) return [state, []];
  return readOn(id, { ...open, reading: { facts: { status, bytes, sha256: hash }, body: '', offset: 0, expected: 0 } }, now)(state);
}

function onChunk(state: BrainState, frame: DataFrames['chunk'], now: number): BrainStep {
  if (frame.of !== 'result') return [state, [{ type: 'hear', frame }]];
  const open = state.calls.get(frame.name);
  // One that came twice, or after it was asked for again.
  if (open?.reading === undefined || frame.from !== open.reading.offset) return [state, []];
  const { facts, expected } = open.reading;
  const body = open.reading.body + frame.data;
  if (frame.next >= facts.bytes) {
    if (sha256(body) === facts.sha256) return complete(frame.name, { ...facts, body })(state);
    return readOn(frame.name, { ...open, reading: { facts, body: '', offset: 0, expected: 0 } }, now)(state);
  }
  const further: OpenCall = { ...open, askedAt: now, reading: { facts, body, offset: frame.next, expected: expected - 1 } };
  return expected <= 1 ? readOn(frame.name, further, now)(state) : put(frame.name, further)(state);
}

/** Hands took a call on and do not know it any more: what came of it cannot be known. */
const LOST = ownResult('interrupted', 'Error: The machine no longer knows this call. What it did is not known; look before you repeat it.');

function onState(state: BrainState, phases: DataFrames['state']['calls']): BrainStep {
  const lost = Object.entries(phases).filter(([id, phase]) => phase === 'unknown' && state.calls.get(id)?.phase === 'accepted');
  return chain(state, ...lost.map(([id]) => complete(id, LOST)));
}

function onError(state: BrainState, { code, message, tool_call_id: id }: DataFrames['error'], now: number): BrainStep {
  const open = id === undefined ? undefined : state.calls.get(id);
  if (id === undefined || open === undefined) return [state, []];
  if (code === 'backlog_full') return put(id, { ...open, phase: 'held', askedAt: now })(state);
  // The call itself goes on; only what was said about it was refused.
  if (code === 'forbidden' || code === 'unsupported') return [state, []];
  return chain(state, put(id, undefined), emit({ type: 'refuse', id, code, message }));
}

function onFrame(state: BrainState, frame: DataFrame, now: number): BrainStep {
  switch (frame.type) {
    case 'tool_accepted': {
      const open = state.calls.get(frame.tool_call_id);
      if (open === undefined) return [state, []];
      return chain(state, put(frame.tool_call_id, { ...open, phase: 'accepted' }), emit({ type: 'hear', frame }));
    }
    case 'tool_progress':
    case 'approval_request':
      return [state, state.calls.has(frame.tool_call_id) ? [{ type: 'hear', frame }] : []];
    case 'tool_result':
      return onResult(state, frame, now);
    case 'chunk':
      return onChunk(state, frame, now);
    case 'state':
      return onState(state, frame.calls);
    case 'peer': {
      const met = chain({ ...state, peer: frame }, emit({ type: 'peer', peer: frame }));
      if (!frame.online) return met;
      const [next, effects] = reconcile(met[0], now);
      return [next, [...met[1], ...effects]];
    }
    case 'error':
      return onError(state, frame, now);
    case 'tool_call':
    case 'received':
    case 'cancel':
    case 'read':
    case 'sync':
    case 'approval_decision':
    default:
      // What only brains send.
      return [state, []];
  }
}

function onIncoming(state: BrainState, incoming: Incoming, now: number): BrainStep {
  switch (incoming.type) {
    case 'frame':
      return onFrame(state, incoming.frame, now);
    case 'welcomed': {
      const { peer, resumed } = incoming;
      const met: BrainState = { ...state, peer: peer ?? state.peer };
      const heard: BrainEffect[] = peer === undefined ? [] : [{ type: 'peer', peer }];
      const held = [...met.calls].filter(([, { phase }]) => phase === 'held').map(([id, open]) => sendCall(id, open));
      // The machine came back while we were away, so nobody told us: what it was not asked then is asked now.
      const returned = peer?.online === true && (state.peer?.online !== true || state.peer.epoch !== peer.epoch);
      const [next, effects] = resumed && !returned ? chain(met, ...held) : reconcile(met, now);
      return [next, [...heard, ...effects]];
    }
    case 'base_call':
    default:
      return [state, []];
  }
}

function onLink(state: BrainState, { link, effects, incoming }: LinkStep, now: number): BrainStep {
  return chain(
    { ...state, link },
    emit(...effects),
    ...incoming.map(
      (one): Then =>
        (current) =>
          onIncoming(current, one, now),
    ),
  );
}

/** What was asked for and did not come is asked for again. */
function askAgain(state: BrainState, now: number): BrainStep {
  if (state.link.phase !== 'up') return [state, []];
  const late = [...state.calls].filter(
    ([, { askedAt, phase, reading }]) => (reading !== undefined || phase === 'held') && now - askedAt >= ASK_AGAIN_MS,
  );
  return chain(state, ...late.map(([id, open]) => (open.reading === undefined ? sendCall(id, { ...open, askedAt: now }) : readOn(id, open, now))));
}

/** What an event comes to at a brain. Pure: the same state and event always give the same. */
export function brainStep(state: BrainState, event: BrainEvent): BrainStep {
  switch (event.type) {
    case 'boot':
      return [{ ...state, calls: event.calls }, []];
    case 'call': {
      const { id, call } = event;
      if (state.calls.has(id) || state.isDone(id)) return [state, []];
      const open: OpenCall = { call, hash: callHash(call), ledger: undefined, phase: 'held', cancelled: false, reading: undefined, askedAt: call.at };
      return chain(state, put(id, open), emit({ type: 'keep', id, call: open }), sendCall(id, open));
    }
    case 'cancel': {
      const open = state.calls.get(event.id);
      if (open === undefined) return [state, []];
      const cancelled: OpenCall = { ...open, cancelled: true };
      // It was never sent, so nothing has to be undone elsewhere.
      if (open.ledger === undefined) return complete(event.id, CANCELLED)(state);
      return chain(state, put(event.id, cancelled), emit({ type: 'keep', id: event.id, call: cancelled }), sendCall(event.id, cancelled));
    }
    case 'say':
      return say(event.frame)(state);
    case 'tick':
      return chain(
        state,
        (current) => onLink(current, linkStep(current.link, event), event.now),
        (current) => askAgain(current, event.now),
      );
    case 'opened':
    case 'text':
    case 'closed':
    default:
      return onLink(state, linkStep(state.link, event), event.now);
  }
}
