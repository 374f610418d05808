import { chain, emit, put, say, transmit, type Then } from './brain-moves.ts';
import type { BrainEffect, BrainEvent, BrainState, BrainStep, OpenCall } from './brain-state.ts';
import { callHash } from './call-hash.ts';
import { complete, confirmAll } from './finish-call.ts';
import type { DataFrame, DataFrames } from './frames.ts';
import { linkStep, type Incoming, type LinkStep } from './link.ts';
import { CANCELLED, ownResult } from './own-results.ts';
import { MAX_DAMAGED, onChunk, onResult, patience, readNext, readOn } from './read-result.ts';

/** Milliseconds after which a call is sent again that its machine has not accepted. A machine that is there accepts within moments. */
const SEND_AGAIN_MS = 30_000;

/** Sends a call if its ledger is known; otherwise holds it until hands appear. For a cancelled call that was sent, sends the cancel only. */
const sendCall =
  (id: string, open: OpenCall): Then =>
  (state) => {
    const ledger = open.ledger ?? state.peer?.ledger;
    if (open.cancelled && open.ledger !== undefined) return say({ type: 'cancel', tool_call_id: id, ledger: open.ledger, at: open.call.at })(state);
    if (ledger === undefined || state.link.phase !== 'up') return put(id, { ...open, phase: 'held' })(state);
    const { tool, args, dialect, at, queueMs, deadlineMs, dryRun, workspace, quiet } = open.call;
    const sent: OpenCall = { ...open, ledger, phase: 'sent' };
    return chain(
      state,
      put(id, sent),
      // The target must be stored before the call is first sent.
      ...(open.ledger === undefined ? [emit({ type: 'keep', id, call: sent })] : []),
      say({
        type: 'tool_call',
        id,
        tool,
        args,
        hash: open.hash,
        ledger,
        at,
        appends: true,
        ...(dialect === undefined ? {} : { dialect }),
        ...(queueMs === undefined ? {} : { queue_ms: queueMs }),
        ...(deadlineMs === undefined ? {} : { deadline_ms: deadlineMs }),
        ...(dryRun === true ? { dry_run: true } : {}),
        ...(workspace === undefined ? {} : { workspace }),
        ...(quiet === true ? { quiet } : {}),
      }),
    );
  };

/** Repeats everything that may have been lost. All of it may arrive twice without harm. */
function reconcile(state: BrainState, now: number): BrainStep {
  const steps: Then[] = [];
  const accepted: string[] = [];
  for (const [id, open] of state.calls) {
    if (open.reading !== undefined) {
      // Other reads wait for their turn.
      if (open.reading.asked > 0) steps.push(readOn(id, { ...open, reading: { ...open.reading, asked: 0 } }, now));
    } else if (open.phase === 'accepted') {
      accepted.push(id);
      if (open.cancelled) steps.push(sendCall(id, open));
    } else steps.push(sendCall(id, open));
  }
  for (let from = 0; from < accepted.length; from += 500)
    steps.unshift(say({ type: 'sync', brain: state.link.identity.inst, calls: accepted.slice(from, from + 500) }));
  return chain(state, ...steps);
}

/** Result of a call that hands had accepted or ended, and no longer know. Its outcome is unknown. */
const LOST = ownResult('interrupted', 'Error: The machine no longer knows this call. What it did is not known; look before you repeat it.');

function onState(state: BrainState, phases: DataFrames['state']['calls']): BrainStep {
  const wasKnown = (open: OpenCall | undefined): boolean => open?.phase === 'accepted' || open?.reading !== undefined;
  const lost = Object.entries(phases).filter(([id, phase]) => phase === 'unknown' && wasKnown(state.calls.get(id)));
  return chain(state, ...lost.map(([id]) => complete(id, LOST)));
}

function onError(state: BrainState, { code, message, tool_call_id: id }: DataFrames['error'], now: number): BrainStep {
  const open = id === undefined ? undefined : state.calls.get(id);
  if (id === undefined || open === undefined) return [state, []];
  if (code === 'backlog_full') return put(id, { ...open, phase: 'held', askedAt: now })(state);
  // Only the request about the call was rejected; the call continues.
  if (code === 'forbidden' || code === 'unsupported') return [state, []];
  return chain(state, put(id, undefined), emit({ type: 'refuse', id, call: open, code, message }));
}

/** Whether a call that was damaged on its way is sent again. A machine with a pairing would have sealed that it was. */
const isSentAgain = ({ machine }: BrainState, code: DataFrames['error']['code'], { damaged = 0 }: OpenCall): boolean =>
  code === 'malformed' && machine === undefined && damaged < MAX_DAMAGED;

/**
 * Handles an error without a seal: of a relay, or of a machine without pairing. It cannot be believed that a call did not run: an
 * earlier copy may have arrived, or the relay may have passed it on. The machine is asked, with a cancel, which keeps the call from
 * running if it has not started.
 */
function onOpenError(state: BrainState, frame: DataFrames['error'], now: number): BrainStep {
  const { code, message, tool_call_id: id = '' } = frame;
  const open = state.calls.get(id);
  if (code === 'unsupported' && id === '') return [state, [{ type: 'unsupported' }]];
  if (open === undefined || code === 'backlog_full') return onError(state, frame, now);
  if (open.phase === 'accepted') return [state, []];
  // Cancelling could end another call that has this id.
  if (code === 'id_reuse')
    return chain(
      state,
      put(id, undefined),
      emit({ type: 'refuse', id, call: open, code, message, ...(state.machine === undefined ? {} : { unsure: true }) }),
    );
  if (isSentAgain(state, code, open)) return sendCall(id, { ...open, damaged: (open.damaged ?? 0) + 1, askedAt: now })(state);
  if (code !== 'denied' && (code !== 'malformed' || state.machine !== undefined)) return [state, []];
  const asked: OpenCall = { ...open, cancelled: true, refusal: message, askedAt: now };
  return chain(state, put(id, asked), emit({ type: 'keep', id, call: asked }), sendCall(id, asked));
}

function onAccepted(state: BrainState, frame: DataFrames['tool_accepted']): BrainStep {
  const open = state.calls.get(frame.tool_call_id);
  if (open === undefined) return [state, []];
  return chain(state, put(frame.tool_call_id, { ...open, phase: 'accepted' }), emit({ type: 'hear', frame }));
}

function onPeer(state: BrainState, peer: DataFrames['peer'], now: number): BrainStep {
  const met = emit({ type: 'peer', peer });
  return peer.online ? chain({ ...state, peer }, met, (current) => reconcile(current, now)) : met({ ...state, peer });
}

function onFrame(state: BrainState, frame: DataFrame, now: number): BrainStep {
  switch (frame.type) {
    case 'tool_accepted':
      return onAccepted(state, frame);
    case 'tool_progress':
      return [state, state.calls.has(frame.tool_call_id) ? [{ type: 'hear', frame }] : []];
    case 'approval_request':
      // Includes calls of other brains, if the machine's owner made this device an approver.
      return [state, state.machine !== undefined || state.calls.has(frame.tool_call_id) ? [{ type: 'hear', frame }] : []];
    case 'tool_result':
      return onResult(state, frame);
    case 'chunk':
      return onChunk(state, frame, now);
    case 'forward':
      return [state, [{ type: 'hear', frame }]];
    case 'state':
      return onState(state, frame.calls);
    case 'peer':
      return onPeer(state, frame, now);
    case 'error':
      return onError(state, frame, now);
    case 'tool_call':
    case 'received':
    case 'cancel':
    case 'read':
    case 'sync':
    case 'approval_decision':
    default:
      // Only brains send these.
      return [state, []];
  }
}

/** Handles a frame for a brain without pairing. */
const onBareFrame = (state: BrainState, frame: DataFrame, now: number): BrainStep =>
  frame.type === 'error' ? onOpenError(state, frame, now) : onFrame(state, frame, now);

/** Handles a frame for a paired brain. All frames are sealed by its machine, but for the relay's own errors and the machine's presence. */
function onPairedFrame(state: BrainState, frame: DataFrame, now: number): BrainStep {
  if (frame.type === 'peer') return onFrame(state, frame, now);
  if (frame.type === 'error' && frame.auth === undefined) return onOpenError(state, frame, now);
  return [state, [{ type: 'unseal', frame }]];
}

function onIncoming(state: BrainState, incoming: Incoming, now: number): BrainStep {
  switch (incoming.type) {
    case 'frame':
      return state.machine === undefined ? onBareFrame(state, incoming.frame, now) : onPairedFrame(state, incoming.frame, now);
    case 'welcomed': {
      const { peer, resumed } = incoming;
      const met: BrainState = { ...state, peer: peer ?? state.peer };
      const heard: BrainEffect[] = peer === undefined ? [] : [{ type: 'peer', peer }];
      const held = [...met.calls].filter(([, { phase }]) => phase === 'held').map(([id, open]) => sendCall(id, open));
      // The machine reconnected while this brain was away, so nothing was reported. Ask now.
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

/** Repeats requests that were not answered in time. */
function askAgain(before: BrainState, now: number): BrainStep {
  if (before.link.phase !== 'up') return [before, []];
  // After a clock was set back, times in the future count as now.
  const ahead = [...before.calls].filter(([, { askedAt }]) => askedAt > now);
  const [state] = chain(before, ...ahead.map(([id, open]) => put(id, { ...open, askedAt: now })));
  const isLate = ({ askedAt, phase, reading }: OpenCall): boolean => {
    if (reading !== undefined) return reading.asked > 0 && now - askedAt >= patience(reading);
    return phase === 'held'
      ? now - askedAt >= patience(undefined)
      : phase === 'sent' && state.peer?.online === true && now - askedAt >= SEND_AGAIN_MS;
  };
  const late = [...state.calls].filter(([, open]) => isLate(open));
  return chain(state, ...late.map(([id, open]) => (open.reading === undefined ? sendCall(id, { ...open, askedAt: now }) : readOn(id, open, now))));
}

/** Computes a brain's next state and effects for an event. Pure: the same state and event always give the same result. */
export function brainStep(state: BrainState, event: BrainEvent): BrainStep {
  const step = (current: BrainState): BrainStep => onEvent(current, event);
  return 'now' in event ? chain(state, step, (current) => readNext(current, event.now)) : step(state);
}

function onEvent(state: BrainState, event: BrainEvent): BrainStep {
  switch (event.type) {
    case 'boot':
      return [{ ...state, calls: event.calls }, []];
    case 'call': {
      const { id, call } = event;
      if (state.calls.has(id) || state.isDone(id)) return [state, []];
      const open: OpenCall = {
        call,
        hash: callHash({ ...call, dry_run: call.dryRun }),
        ledger: undefined,
        phase: 'held',
        cancelled: false,
        reading: undefined,
        askedAt: call.at,
      };
      return chain(state, put(id, open), emit({ type: 'keep', id, call: open }), sendCall(id, open));
    }
    case 'cancel': {
      const open = state.calls.get(event.id);
      if (open === undefined) return [state, []];
      const cancelled: OpenCall = { ...open, cancelled: true };
      // It was never sent, so there is nothing to undo elsewhere.
      if (open.ledger === undefined) return complete(event.id, CANCELLED)(state);
      return chain(state, put(event.id, cancelled), emit({ type: 'keep', id: event.id, call: cancelled }), sendCall(event.id, cancelled));
    }
    case 'say':
      return say(event.frame)(state);
    case 'settle':
      return confirmAll(state);
    case 'sealed':
      return transmit(event.frame)(state);
    case 'unsealed':
      return onFrame(state, event.frame, event.now);
    case 'tick':
      return chain(
        state,
        (current) => onLink(current, linkStep(current.link, event), event.now),
        (current) => askAgain(current, event.now),
      );
    case 'opened':
    case 'text':
    case 'closed':
    case 'proved':
    default:
      return onLink(state, linkStep(state.link, event), event.now);
  }
}
