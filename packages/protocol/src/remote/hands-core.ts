import { callHash, type HashedCall } from './call-hash.ts';
import { askAgain, onAsk, onAsked, onDecision } from './hands-approvals.ts';
import { baseResult, type BaseCall } from './base-call.ts';
import { hasRoomFor, plainCallRefusal } from './hands-room.ts';
import type { CallPhase, DataFrame, DataFrames } from './frames.ts';
import {
  basePrefix,
  chain,
  emit,
  put,
  say,
  settle,
  tellAccepted,
  transmit,
  type EventOf,
  type HandsEvent,
  type HandsMove,
  type HandsState,
  type HandsStep,
  type LiveCall,
} from './hands-state.ts';
import type { LedgerCall, LedgerRow } from './ledger.ts';
import { linkStep, sayControl, type Incoming, type LinkStep } from './link.ts';
import { accept, endWithdrawn, finish, refusalOf, sendResult, startNext } from './live-calls.ts';
import { CANCELLED, ELSEWHERE, EXPIRED, FORGOTTEN, INTERRUPTED, refusedResult } from './own-results.ts';
import { isApproverIn, relayGrant, workspaceOf, type Grants } from './workspace-grant.ts';

function safeHash(call: HashedCall): string | undefined {
  try {
    return callHash(call);
  } catch {
    // Too deeply nested to be hashed, so the call is invalid.
    return undefined;
  }
}

/** Whether a call belongs to a device. Without pairing, all calls do. */
const isOf = (row: { readonly owner?: string | undefined } | undefined, from: string | undefined): boolean => row?.owner === from;

/** Whether an id was used for another call, or by another device. A call that was cancelled before it arrived has a row without a hash. */
function isReused(known: LiveCall | LedgerRow | undefined, hash: string, from: string | undefined): boolean {
  if (known === undefined) return false;
  return !isOf(known, from) || (known.hash !== '' && known.hash !== hash);
}

/** A call as it is accepted. */
function acceptedCall(state: HandsState, frame: DataFrames['tool_call'], from: string | undefined, now: number): LedgerCall {
  const { tool, args, dialect, deadline_ms: deadlineMs, queue_ms: queueMs } = frame;
  const workspace = workspaceOf(state.grants?.get(from ?? ''), frame.workspace);
  return {
    tool,
    args,
    ...(dialect === undefined ? {} : { dialect }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(queueMs === undefined ? {} : { startBy: now + queueMs }),
    ...(frame.dry_run === true ? { dryRun: true } : {}),
    ...(frame.appends === true ? { appends: true } : {}),
    ...(frame.quiet === true ? { quiet: true } : {}),
    // From now on this one, whatever becomes of the device's grants.
    ...(workspace === undefined ? {} : { workspace }),
  };
}

function onCall(state: HandsState, frame: DataFrames['tool_call'], from: string | undefined, now: number): HandsStep {
  const { id, hash } = frame;
  const refuse = (code: 'id_reuse' | 'malformed' | 'backlog_full', message: string): HandsStep =>
    say(from, { type: 'error', code, message, tool_call_id: id })(state);
  if (id.startsWith('base:') || safeHash(frame) !== hash) return refuse('malformed', 'The hash does not fit the call.');
  const live = state.live.get(id);
  const row = state.ledger.get(id);
  if (isReused(live ?? row, hash, from)) return refuse('id_reuse', 'This id was used for another call.');
  if (live !== undefined) {
    const told = put(id, { ...live, tellAt: undefined });
    return chain(state, told, say(from, { type: 'tool_accepted', tool_call_id: id }), ...askAgain(live, from));
  }
  if (row !== undefined) return [state, [{ type: 'load', id }]];
  if (frame.ledger !== state.ledger.id) return sendResult(from, id, ELSEWHERE)(state);
  if (frame.at < state.ledger.horizon) return sendResult(from, id, FORGOTTEN)(state);
  const refused = refusalOf(state, from, frame, now);
  // The device may still receive results of earlier calls. Recorded: a relay that kept the call must not get it to run under a later grant.
  if (refused !== undefined) return finish(id, hash, from, refusedResult(refused), frame.at)(state);
  if (!hasRoomFor(state, from)) return refuse('backlog_full', 'Too many calls of this device wait.');
  return accept(id, hash, acceptedCall(state, frame, from, now), { owner: from, now, madeAt: frame.at })(state);
}

function onBaseCall(state: HandsState, { call, length }: { readonly call: BaseCall; readonly length: number }, now: number): HandsStep {
  const id = `${basePrefix(state)}${JSON.stringify(call.id)}`;
  const made = { tool: call.tool, args: call.arguments ?? call.args ?? {} };
  const hash = safeHash(made);
  const known = state.live.get(id)?.hash ?? state.ledger.get(id)?.hash;
  const refuse = (output: string): HandsStep => [state, [{ type: 'send', conn: state.link.conn, text: baseResult(call.id, 'error', output) }]];
  if (hash === undefined) return refuse('Error: The arguments are nested too deep.');
  if (known !== undefined && known !== hash) return refuse('Error: This id was used for another call.');
  if (state.live.has(id)) return [state, []];
  if (known !== undefined) return [state, [{ type: 'load', id }]];
  const full = plainCallRefusal(state, length);
  return full === undefined ? accept(id, hash, made, { owner: undefined, now, length })(state) : refuse(full);
}

function onCancel(state: HandsState, { tool_call_id: id, ledger, at }: DataFrames['cancel'], from: string | undefined): HandsStep {
  const live = state.live.get(id);
  const row = state.ledger.get(id);
  if (live !== undefined || row !== undefined) {
    if (!isOf(live ?? row, from)) return [state, []];
    if (live?.phase === 'queued') return finish(id, live.hash, live.owner, CANCELLED)(state);
    return [state, [{ type: live === undefined ? 'load' : 'abort', id }]];
  }
  if (ledger !== state.ledger.id) return sendResult(from, id, ELSEWHERE)(state);
  // The call may still arrive if its brain repeats it. Then it must not run.
  return finish(id, '', from, CANCELLED, at)(state);
}

function phaseOf(state: HandsState, id: string, from: string | undefined): CallPhase {
  const live = state.live.get(id);
  const row = live ?? state.ledger.get(id);
  if (row === undefined || !isOf(row, from)) return 'unknown';
  if (live === undefined) return 'done';
  return live.approval === undefined ? live.phase : 'awaiting_approval';
}

function onSync(state: HandsState, { brain, calls: named }: DataFrames['sync'], from: string | undefined, now: number): HandsStep {
  const ids = [...new Set(named)];
  const calls = Object.fromEntries(ids.map((id) => [id, phaseOf(state, id, from)]));
  const again = ids.flatMap((id): HandsMove[] => {
    const live = state.live.get(id);
    if (live !== undefined && isOf(live, from)) return askAgain(live, from);
    return calls[id] === 'done' ? [emit({ type: 'load', id })] : [];
  });
  // A newly connected approver does not know the pending questions.
  const grant = state.grants?.get(from ?? '');
  const questions = [...state.live.values()].flatMap((live) => (isApproverIn(grant, live.call.workspace, now) ? askAgain(live, from) : []));
  return chain(state, say(from, { type: 'state', brain, calls }), ...again, ...questions);
}

/** Answers a read: of tools, or of data of the device's own calls. Whether another device has such a call is not told. */
function onRead(state: HandsState, frame: DataFrames['read'], from: string | undefined): HandsStep {
  const { brain, of, name, from: at } = frame;
  const row = state.live.get(name) ?? state.ledger.get(name);
  if (of === 'tools' || (row !== undefined && isOf(row, from))) return [state, [{ type: 'read', frame, from }]];
  // It was announced, and is not known any more: forgotten after a week, or lost with the power.
  if (of === 'result') return say(from, { type: 'state', brain, calls: { [name]: 'unknown' } })(state);
  const data = 'No call of this device has this id.';
  return say(from, { type: 'chunk', brain, of, name, from: at, data, next: at, total: at, refused: true }, 'spare')(state);
}

function onReceived(state: HandsState, { tool_call_id, also = [] }: DataFrames['received'], from: string | undefined): HandsStep {
  const confirmed = [tool_call_id, ...also].map((id) => state.ledger.get(id));
  const ids = confirmed.flatMap((row) => (row?.state === 'done' && isOf(row, from) ? [row.id] : []));
  return [state, ids.length === 0 ? [] : [{ type: 'confirmed', ids }]];
}

/** @param from the paired device that sealed the frame; undefined if the hands are not paired */
function onFrame(state: HandsState, frame: DataFrame, from: string | undefined, now: number): HandsStep {
  switch (frame.type) {
    case 'tool_call':
      return onCall(state, frame, from, now);
    case 'cancel':
      return frame.tool_call_id.startsWith('base:') ? [state, []] : onCancel(state, frame, from);
    case 'read':
      return onRead(state, frame, from);
    case 'sync':
      return onSync(state, frame, from, now);
    case 'forward':
      return [state, [{ type: 'forward', frame, from }]];
    case 'approval_decision':
      return onDecision(state, frame, from, now);
    case 'received':
      return onReceived(state, frame, from);
    case 'tool_accepted':
    case 'tool_progress':
    case 'tool_result':
    case 'chunk':
    case 'state':
    case 'approval_request':
    case 'peer':
    case 'error':
    default:
      // Only hands and relays send these; ignored from a brain.
      return [state, []];
  }
}

/** Sends the grants to the relay. */
function tellGrants(state: HandsState): HandsStep {
  if (state.grants === undefined) return [state, []];
  const { link, effects } = sayControl(state.link, { type: 'grants', grants: [...state.grants.values()].map(relayGrant) });
  return [{ ...state, link }, effects];
}

/** Applies new grants. Frames of revoked devices are ignored, and calls that are not granted any more end. */
const onGrants = (state: HandsState, grants: Grants, now: number): HandsStep =>
  chain({ ...state, grants }, tellGrants, endWithdrawn(now), startNext(now));

function onIncoming(state: HandsState, incoming: Incoming, now: number): HandsStep {
  switch (incoming.type) {
    case 'frame':
      // Paired hands accept only frames sealed by a paired device, regardless of who forwarded them.
      return state.grants === undefined ? onFrame(state, incoming.frame, undefined, now) : [state, [{ type: 'unseal', frame: incoming.frame }]];
    case 'base_call':
      return onBaseCall(state, incoming, now);
    case 'welcomed':
    default:
      // Brains ask about their unfinished calls themselves.
      return tellGrants(state);
  }
}

function onLink(state: HandsState, { link, effects, incoming }: LinkStep, now: number): HandsStep {
  return chain({ ...state, link }, emit(...effects), ...incoming.map((one) => (current: HandsState) => onIncoming(current, one, now)));
}

/** Resumes the ledger's unfinished calls. A started call never runs again, because its effects are unknown. An accepted one has had no effects. */
function boot(state: HandsState, rows: readonly LedgerRow[], now: number): HandsStep {
  const steps = rows.map((row) => {
    const { id, hash, call, owner } = row;
    const mayRun = state.grants === undefined ? owner === undefined : owner !== undefined && state.grants.has(owner);
    if (row.state === 'accepted' && call !== undefined && mayRun && !id.startsWith('base:'))
      return put(id, { hash, phase: 'queued', call, length: 0, owner, approval: undefined, tellAt: undefined });
    return finish(id, hash, owner, row.state === 'started' ? INTERRUPTED : EXPIRED);
  });
  return chain(state, ...steps, startNext(now));
}

function onProgress(state: HandsState, { id, off, data, message }: EventOf<'progress'>): HandsStep {
  if (id.startsWith('base:')) return [state, []];
  const owner = state.live.get(id)?.owner;
  const progress = { type: 'tool_progress' as const, tool_call_id: id, off, data, ...(message === undefined ? {} : { message }) };
  return chain(state, tellAccepted(id), say(owner, progress, 'lossy'));
}

function onFinished(state: HandsState, { id, result, now }: EventOf<'finished'>): HandsStep {
  const live = state.live.get(id);
  return live === undefined ? [state, []] : chain(state, finish(id, live.hash, live.owner, result), startNext(now));
}

/** Handles a frame that a device sealed. Ignores those of one that was revoked meanwhile. */
const onUnsealed = (state: HandsState, { frame, from, now }: EventOf<'unsealed'>): HandsStep =>
  state.grants?.has(from) === true ? onFrame(state, frame, from, now) : [state, []];

/** Computes the hands' next state and effects for an event. Pure: the same state and event always give the same result. */
export function handsStep(state: HandsState, event: HandsEvent): HandsStep {
  switch (event.type) {
    case 'boot':
      return boot(state, event.rows, event.now);
    case 'progress':
      return onProgress(state, event);
    case 'finished':
      return onFinished(state, event);
    case 'ask':
      return onAsk(state, event);
    case 'asked':
      return onAsked(state, event);
    case 'loaded':
      return sendResult(state.ledger.get(event.id)?.owner, event.id, event.result)(state);
    case 'say':
      return say(event.to, event.frame, 'sure', event.appends)(state);
    case 'sealed':
      return transmit(event.frame, event.kind)(state);
    case 'unsealed':
      return onUnsealed(state, event);
    case 'grants':
      return onGrants(state, event.grants, event.now);
    case 'settle':
      return settle(event.now)(state);
    case 'tick':
      return chain(state, (current) => onLink(current, linkStep(current.link, event), event.now), endWithdrawn(event.now), startNext(event.now));
    case 'opened':
    case 'text':
    case 'closed':
    case 'proved':
    default:
      return onLink(state, linkStep(state.link, event), event.now);
  }
}
