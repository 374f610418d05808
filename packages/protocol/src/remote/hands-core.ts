import { callHash, type HashedCall } from './call-hash.ts';
import { ROOM } from './channel.ts';
import { askAgain, askAt, judges, onDecision } from './hands-approvals.ts';
import { baseResult, type BaseCall } from './base-call.ts';
import { hasRoomFor, plainCallRefusal } from './hands-room.ts';
import { INLINE_BYTES, type CallPhase, type DataFrame, type DataFrames } from './frames.ts';
import {
  basePrefix,
  chain,
  emit,
  expectSettling,
  put,
  say,
  settle,
  tellAccepted,
  transmit,
  type HandsEvent,
  type HandsMove,
  type HandsState,
  type HandsStep,
  type LiveCall,
} from './hands-state.ts';
import { isAppended, type FinishedCall, type LedgerCall, type LedgerRow } from './ledger.ts';
import { linkStep, sayControl, type Incoming, type LinkStep } from './link.ts';
import { SETTLE_MS } from './settle-times.ts';
import { CANCELLED, ELSEWHERE, EXPIRED, FORGOTTEN, INTERRUPTED, outputOf, refusedResult } from './own-results.ts';
import { callRefusal, grantIn, isApproverIn, relayGrant, workspaceOf, type Grants } from './workspace-grant.ts';

/** Sends a result to the brain that made the call. A brain without the protocol gets the basic form, and only on its own connection. */
const sendResult =
  (owner: string | undefined, id: string, result: FinishedCall) =>
  (state: HandsState): HandsStep => {
    const { status, bytes, sha256: hash, body } = result;
    if (!id.startsWith('base:')) {
      // On a line that is behind, the brain reads the body when it can.
      const inline = bytes <= INLINE_BYTES && state.link.channel.waitingSize < ROOM ? { body } : {};
      return say(owner, { type: 'tool_result', tool_call_id: id, status, bytes, sha256: hash, ...inline }, 'sure', isAppended(result))(state);
    }
    if (state.link.phase !== 'base' || !id.startsWith(basePrefix(state))) return [state, []];
    const callId: unknown = JSON.parse(id.slice(basePrefix(state).length));
    const text = baseResult(callId, status === 'success' ? 'success' : 'error', outputOf(body));
    return [state, [{ type: 'send', conn: state.link.conn, text }]];
  };

const ownedBy = (owner: string | undefined): { readonly owner?: string } => (owner === undefined ? {} : { owner });

const wasMade = (at: number | undefined): { readonly madeAt?: number } => (at === undefined ? {} : { madeAt: at });

/**
 * Commits a result and then sends it.
 *
 * @param madeAt of a call that was not accepted before
 */
const finish = (id: string, hash: string, owner: string | undefined, result: FinishedCall, madeAt?: number): HandsMove => {
  const { status, bytes, sha256: of, body } = result;
  return (state) =>
    chain(
      state,
      emit({ type: 'commit', row: { id, hash, ...ownedBy(owner), state: 'done', result: { status, bytes, sha256: of }, ...wasMade(madeAt) }, body }),
      put(id, undefined),
      sendResult(owner, id, result),
    );
};

/** Returns the reason a call that was accepted may not run any more: its grant was narrowed, revoked or expired. */
const withdrawal = ({ grants }: HandsState, { owner, call }: LiveCall, now: number): string | undefined =>
  grants === undefined ? undefined : callRefusal(grants.get(owner ?? ''), call, now);

/** Ends the running calls that may not run any more. Queued ones do not start. */
const endWithdrawn =
  (now: number) =>
  (state: HandsState): HandsStep => {
    const over = [...state.live].filter(([, live]) => live.phase === 'running' && withdrawal(state, live, now) !== undefined);
    return [state, over.map(([id]) => ({ type: 'abort', id }))];
  };

/** Starts queued calls within the limits. The start is committed before the call runs. */
const startNext =
  (now: number) =>
  (state: HandsState): HandsStep => {
    const running = [...state.live.values()].filter(({ phase }) => phase === 'running');
    const steps: HandsMove[] = [];
    for (const [id, live] of state.live) {
      const { hash, phase, call, owner } = live;
      if (phase !== 'queued') continue;
      const most = grantIn(state.grants?.get(owner ?? ''), call.workspace)?.maxRunning ?? state.maxRunning;
      const isBeside = (one: LiveCall): boolean => one.owner === owner && one.call.workspace === call.workspace;
      const refused = withdrawal(state, live, now);
      if (refused !== undefined) steps.push(finish(id, hash, owner, refusedResult(refused)));
      else if (call.startBy !== undefined && now > call.startBy) steps.push(finish(id, hash, owner, EXPIRED));
      else if (running.length < state.maxRunning && running.filter(isBeside).length < most) {
        running.push(live);
        steps.push(
          emit({ type: 'commit', row: { id, hash, ...ownedBy(owner), state: 'started', call } }, { type: 'run', id, call, ...ownedBy(owner) }),
          put(id, { ...live, phase: 'running' }),
        );
      }
    }
    return chain(state, ...steps);
  };

interface Arrival {
  readonly owner: string | undefined;
  readonly now: number;
  readonly madeAt?: number;
  readonly length?: number;
}

/** Accepts a new call. It is committed before anything is sent or run. The brain gets `tool_accepted` if the result is late. */
const accept = (id: string, hash: string, call: LedgerCall, { owner, now, madeAt, length = 0 }: Arrival): HandsMove => {
  const tellAt = id.startsWith('base:') ? undefined : now + SETTLE_MS;
  return (state) =>
    chain(
      state,
      emit({ type: 'commit', row: { id, hash, ...ownedBy(owner), state: 'accepted', call, ...wasMade(madeAt) } }),
      put(id, { hash, phase: 'queued', call, length, owner, approval: undefined, tellAt }),
      ...(tellAt === undefined ? [] : [expectSettling()]),
      startNext(now),
    );
};

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

function onCall(state: HandsState, frame: DataFrames['tool_call'], from: string | undefined, now: number): HandsStep {
  const { id, hash, tool, args, dialect } = frame;
  const refuse = (code: 'id_reuse' | 'malformed' | 'backlog_full', message: string): HandsStep =>
    say(from, { type: 'error', code, message, tool_call_id: id })(state);
  if (id.startsWith('base:') || safeHash(frame) !== hash) return refuse('malformed', 'The hash does not fit the call.');
  const live = state.live.get(id);
  const row = state.ledger.get(id);
  const known = live?.hash ?? row?.hash;
  const refused = state.grants === undefined ? undefined : callRefusal(state.grants.get(from ?? ''), frame, now);
  if (known !== undefined && !isOf(live ?? row, from)) return refuse('id_reuse', 'This id was used for another call.');
  // Cancelled before it arrived: that row has no hash.
  if (known !== undefined && known !== '' && known !== hash) return refuse('id_reuse', 'This id was used for another call.');
  if (live !== undefined) {
    const told = put(id, { ...live, tellAt: undefined });
    return chain(state, told, say(from, { type: 'tool_accepted', tool_call_id: id }), ...askAgain(live, from));
  }
  if (row !== undefined) return [state, [{ type: 'load', id }]];
  if (frame.ledger !== state.ledger.id) return sendResult(from, id, ELSEWHERE)(state);
  if (frame.at < state.ledger.horizon) return sendResult(from, id, FORGOTTEN)(state);
  // The device may still receive results of earlier calls. Recorded: a relay that kept the call must not get it to run under a later grant.
  if (refused !== undefined) return finish(id, hash, from, refusedResult(refused), frame.at)(state);
  if (!hasRoomFor(state, from)) return refuse('backlog_full', 'Too many calls of this device wait.');
  const workspace = workspaceOf(state.grants?.get(from ?? ''), frame.workspace);
  const call: LedgerCall = {
    tool,
    args,
    ...(dialect === undefined ? {} : { dialect }),
    ...(frame.deadline_ms === undefined ? {} : { deadlineMs: frame.deadline_ms }),
    ...(frame.queue_ms === undefined ? {} : { startBy: now + frame.queue_ms }),
    ...(frame.dry_run === true ? { dryRun: true } : {}),
    ...(frame.appends === true ? { appends: true } : {}),
    ...(frame.quiet === true ? { quiet: true } : {}),
    // From now on this one, whatever becomes of the device's grants.
    ...(workspace === undefined ? {} : { workspace }),
  };
  return accept(id, hash, call, { owner: from, now, madeAt: frame.at })(state);
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
    case 'received': {
      const confirmed = [frame.tool_call_id, ...(frame.also ?? [])].map((id) => state.ledger.get(id));
      const ids = confirmed.flatMap((row) => (row?.state === 'done' && isOf(row, from) ? [row.id] : []));
      return [state, ids.length === 0 ? [] : [{ type: 'confirmed', ids }]];
    }
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

/** Computes the hands' next state and effects for an event. Pure: the same state and event always give the same result. */
export function handsStep(state: HandsState, event: HandsEvent): HandsStep {
  switch (event.type) {
    case 'boot':
      return boot(state, event.rows, event.now);
    case 'progress': {
      const { id: tool_call_id, off, data, message } = event;
      if (tool_call_id.startsWith('base:')) return [state, []];
      const owner = state.live.get(tool_call_id)?.owner;
      const progress = { type: 'tool_progress' as const, tool_call_id, off, data, ...(message === undefined ? {} : { message }) };
      return chain(state, tellAccepted(tool_call_id), say(owner, progress, 'lossy'));
    }
    case 'finished': {
      const live = state.live.get(event.id);
      return live === undefined ? [state, []] : chain(state, finish(event.id, live.hash, live.owner, event.result), startNext(event.now));
    }
    case 'ask': {
      const { request, mayBrainAnswer, now } = event;
      const live = state.live.get(request.tool_call_id);
      if (live === undefined) return [state, []];
      const approval = { request, mayBrainAnswer };
      const accepted = tellAccepted(request.tool_call_id);
      const asked = put(request.tool_call_id, { ...live, approval, tellAt: undefined });
      const told = request.tool_call_id.startsWith('base:') ? [] : judges(state, live, now).map((to) => askAt(live, approval, to));
      return chain(state, accepted, asked, ...told);
    }
    case 'asked': {
      const live = state.live.get(event.id);
      return live === undefined ? [state, []] : put(event.id, { ...live, approval: undefined })(state);
    }
    case 'loaded':
      return sendResult(state.ledger.get(event.id)?.owner, event.id, event.result)(state);
    case 'say':
      return say(event.to, event.frame, 'sure', event.appends)(state);
    case 'sealed':
      return transmit(event.frame, event.kind)(state);
    case 'unsealed':
      // Ignores frames of a device that was revoked meanwhile.
      return state.grants?.has(event.from) === true ? onFrame(state, event.frame, event.from, event.now) : [state, []];
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
