import { callHash } from './call-hash.ts';
import { INLINE_BYTES, type BaseCall, type CallPhase, type DataFrame, type DataFrames } from './frames.ts';
import { basePrefix, chain, emit, put, say, type HandsEvent, type HandsState, type HandsStep, type LiveCall } from './hands-state.ts';
import type { FinishedCall, LedgerCall, LedgerRow } from './ledger.ts';
import { linkStep, type Incoming, type LinkStep } from './link.ts';
import { CANCELLED, ELSEWHERE, EXPIRED, FORGOTTEN, INTERRUPTED, outputOf } from './own-results.ts';

/** Sends a result to whoever is there: to a brain without the protocol only what it knows, and only on its own connection. */
const sendResult =
  (id: string, { status, bytes, sha256: hash, body }: FinishedCall) =>
  (state: HandsState): HandsStep => {
    if (!id.startsWith('base:')) {
      const inline = bytes <= INLINE_BYTES ? { body } : {};
      return say({ type: 'tool_result', tool_call_id: id, status, bytes, sha256: hash, ...inline })(state);
    }
    if (state.link.phase !== 'base' || !id.startsWith(basePrefix(state))) return [state, []];
    const callId: unknown = JSON.parse(id.slice(basePrefix(state).length));
    const text = JSON.stringify({
      type: 'tool_result',
      tool_call_id: callId,
      status: status === 'success' ? 'success' : 'error',
      output: outputOf(body),
    });
    return [state, [{ type: 'send', conn: state.link.conn, text }]];
  };

/** Commits a result and then sends it. */
const finish = (id: string, hash: string, result: FinishedCall): ((state: HandsState) => HandsStep) => {
  const { status, bytes, sha256: of, body } = result;
  return (state) =>
    chain(
      state,
      emit({ type: 'commit', row: { id, hash, state: 'done', result: { status, bytes, sha256: of } }, body }),
      put(id, undefined),
      sendResult(id, result),
    );
};

/** Starts what may start. That a call was started is durable before it is. */
const startNext =
  (now: number) =>
  (state: HandsState): HandsStep => {
    let running = [...state.live.values()].filter(({ phase }) => phase === 'running').length;
    const steps: Array<(state: HandsState) => HandsStep> = [];
    for (const [id, live] of state.live) {
      const { hash, phase, call } = live;
      if (phase !== 'queued') continue;
      if (call.startBy !== undefined && now > call.startBy) steps.push(finish(id, hash, EXPIRED));
      else if (running < state.maxRunning) {
        running += 1;
        steps.push(
          emit({ type: 'commit', row: { id, hash, state: 'started', call } }, { type: 'run', id, call }),
          put(id, { ...live, phase: 'running' }),
        );
      }
    }
    return chain(state, ...steps);
  };

/** A call that was never seen: written down before anything is said or done. */
const accept = (id: string, hash: string, call: LedgerCall, now: number): ((state: HandsState) => HandsStep) => {
  const said = id.startsWith('base:') ? [] : [say({ type: 'tool_accepted', tool_call_id: id })];
  return (state) =>
    chain(
      state,
      emit({ type: 'commit', row: { id, hash, state: 'accepted', call } }),
      put(id, { hash, phase: 'queued', call, approval: undefined }),
      ...said,
      startNext(now),
    );
};

/** Who asks about a call may not know of the question. */
const askAgain = ({ approval }: LiveCall): Array<(state: HandsState) => HandsStep> => (approval === undefined ? [] : [say(approval.request)]);

function safeHash(call: { readonly tool: string; readonly args?: unknown; readonly dialect?: string | undefined }): string | undefined {
  try {
    return callHash(call);
  } catch {
    // Nested too deep to be walked: it has no hash, and so is no call.
    return undefined;
  }
}

function onCall(state: HandsState, frame: DataFrames['tool_call'], now: number): HandsStep {
  const { id, hash, tool, args, dialect } = frame;
  const refuse = (code: 'id_reuse' | 'malformed', message: string): HandsStep => say({ type: 'error', code, message, tool_call_id: id })(state);
  if (id.startsWith('base:') || safeHash(frame) !== hash) return refuse('malformed', 'The hash does not fit the call.');
  const live = state.live.get(id);
  const row = state.ledger.get(id);
  const known = live?.hash ?? row?.hash;
  // Cancelled before it came: that row knows no hash.
  if (known !== undefined && known !== '' && known !== hash) return refuse('id_reuse', 'This id was used for another call.');
  if (live !== undefined) return chain(state, say({ type: 'tool_accepted', tool_call_id: id }), ...askAgain(live));
  if (row !== undefined) return [state, [{ type: 'load', id }]];
  if (frame.ledger !== state.ledger.id) return sendResult(id, ELSEWHERE)(state);
  if (frame.at < state.ledger.horizon) return sendResult(id, FORGOTTEN)(state);
  const call: LedgerCall = {
    tool,
    args,
    ...(dialect === undefined ? {} : { dialect }),
    ...(frame.deadline_ms === undefined ? {} : { deadlineMs: frame.deadline_ms }),
    ...(frame.queue_ms === undefined ? {} : { startBy: now + frame.queue_ms }),
  };
  return accept(id, hash, call, now)(state);
}

function onBaseCall(state: HandsState, call: BaseCall, now: number): HandsStep {
  const id = `${basePrefix(state)}${JSON.stringify(call.id)}`;
  const made = { tool: call.tool, args: call.arguments ?? call.args ?? {} };
  const hash = safeHash(made);
  const known = state.live.get(id)?.hash ?? state.ledger.get(id)?.hash;
  if (hash === undefined || (known !== undefined && known !== hash)) {
    const output = hash === undefined ? 'Error: The arguments are nested too deep.' : 'Error: This id was used for another call.';
    const text = JSON.stringify({ type: 'tool_result', tool_call_id: call.id, status: 'error', output });
    return [state, [{ type: 'send', conn: state.link.conn, text }]];
  }
  if (state.live.has(id)) return [state, []];
  return known === undefined ? accept(id, hash, made, now)(state) : [state, [{ type: 'load', id }]];
}

function onCancel(state: HandsState, { tool_call_id: id, ledger }: DataFrames['cancel']): HandsStep {
  const live = state.live.get(id);
  if (live?.phase === 'queued') return finish(id, live.hash, CANCELLED)(state);
  if (live !== undefined) return [state, [{ type: 'abort', id }]];
  if (state.ledger.get(id) !== undefined) return [state, [{ type: 'load', id }]];
  if (ledger !== state.ledger.id) return sendResult(id, ELSEWHERE)(state);
  // It may still come, from a brain that sends it again: then it must not run.
  return finish(id, '', CANCELLED)(state);
}

function onDecision(state: HandsState, { tool_call_id: id, approval_id, args_hash, option }: DataFrames['approval_decision']): HandsStep {
  const live = state.live.get(id);
  // Answered already, here or there: the first answer counts.
  if (live?.approval?.request.approval_id !== approval_id) return [state, []];
  const { request, mayBrainAnswer } = live.approval;
  const refuse = (message: string): HandsStep => say({ type: 'error', code: 'forbidden', message, tool_call_id: id })(state);
  if (!mayBrainAnswer) return refuse('This call has to be approved at the machine.');
  if (request.args_hash !== args_hash) return refuse('The decision is for other arguments.');
  return chain(state, put(id, { ...live, approval: undefined }), emit({ type: 'answer', id, approvalId: approval_id, option }));
}

function phaseOf(state: HandsState, id: string): CallPhase {
  const live = state.live.get(id);
  if (live === undefined) return state.ledger.get(id) === undefined ? 'unknown' : 'done';
  return live.approval === undefined ? live.phase : 'awaiting_approval';
}

function onSync(state: HandsState, ids: readonly string[]): HandsStep {
  const calls = Object.fromEntries(ids.map((id) => [id, phaseOf(state, id)]));
  const again = ids.flatMap((id): Array<(state: HandsState) => HandsStep> => {
    const live = state.live.get(id);
    if (live !== undefined) return askAgain(live);
    return calls[id] === 'done' ? [emit({ type: 'load', id })] : [];
  });
  return chain(state, say({ type: 'state', calls }), ...again);
}

function onFrame(state: HandsState, frame: DataFrame, now: number): HandsStep {
  switch (frame.type) {
    case 'tool_call':
      return onCall(state, frame, now);
    case 'cancel':
      return frame.tool_call_id.startsWith('base:') ? [state, []] : onCancel(state, frame);
    case 'received':
      return state.ledger.get(frame.tool_call_id)?.state === 'done' ? [state, [{ type: 'received', id: frame.tool_call_id }]] : [state, []];
    case 'read':
      return [state, [{ type: 'read', frame }]];
    case 'sync':
      return onSync(state, frame.calls);
    case 'approval_decision':
      return onDecision(state, frame);
    case 'tool_accepted':
    case 'tool_progress':
    case 'tool_result':
    case 'chunk':
    case 'state':
    case 'approval_request':
    case 'peer':
    case 'error':
    default:
      // What only hands and relays send: from a brain it means nothing.
      return [state, []];
  }
}

function onIncoming(state: HandsState, incoming: Incoming, now: number): HandsStep {
  switch (incoming.type) {
    case 'frame':
      return onFrame(state, incoming.frame, now);
    case 'base_call':
      return onBaseCall(state, incoming.call, now);
    case 'welcomed':
    default:
      // What is under way is asked for by those who wait for it.
      return [state, []];
  }
}

function onLink(state: HandsState, { link, effects, incoming }: LinkStep, now: number): HandsStep {
  return chain({ ...state, link }, emit(...effects), ...incoming.map((one) => (current: HandsState) => onIncoming(current, one, now)));
}

/** A started call is never run again: what it did is not known. An accepted one has done nothing yet. */
function boot(state: HandsState, rows: readonly LedgerRow[], now: number): HandsStep {
  const steps = rows.map((row) => {
    const { id, hash, call } = row;
    if (row.state === 'accepted' && call !== undefined && !id.startsWith('base:'))
      return put(id, { hash, phase: 'queued', call, approval: undefined });
    return finish(id, hash, row.state === 'started' ? INTERRUPTED : EXPIRED);
  });
  return chain(state, ...steps, startNext(now));
}

/** What an event comes to at hands. Pure: the same state and event always give the same. */
export function handsStep(state: HandsState, event: HandsEvent): HandsStep {
  switch (event.type) {
    case 'boot':
      return boot(state, event.rows, event.now);
    case 'progress': {
      const { id: tool_call_id, off, data, message } = event;
      if (tool_call_id.startsWith('base:')) return [state, []];
      return say({ type: 'tool_progress', tool_call_id, off, data, ...(message === undefined ? {} : { message }) }, 'lossy')(state);
    }
    case 'finished': {
      const live = state.live.get(event.id);
      return live === undefined ? [state, []] : chain(state, finish(event.id, live.hash, event.result), startNext(event.now));
    }
    case 'ask': {
      const live = state.live.get(event.request.tool_call_id);
      if (live === undefined) return [state, []];
      const { request, mayBrainAnswer } = event;
      const asked = put(request.tool_call_id, { ...live, approval: { request, mayBrainAnswer } });
      return chain(state, asked, ...(request.tool_call_id.startsWith('base:') ? [] : [say(request)]));
    }
    case 'asked': {
      const live = state.live.get(event.id);
      return live === undefined ? [state, []] : put(event.id, { ...live, approval: undefined })(state);
    }
    case 'loaded':
      return sendResult(event.id, event.result)(state);
    case 'chunk':
      return say(event.frame)(state);
    case 'tick':
      return chain(state, (current) => onLink(current, linkStep(current.link, event), event.now), startNext(event.now));
    case 'opened':
    case 'text':
    case 'closed':
    default:
      return onLink(state, linkStep(state.link, event), event.now);
  }
}
