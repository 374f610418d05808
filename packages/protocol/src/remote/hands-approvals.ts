import type { DataFrames } from './frames.ts';
import { namesTool } from './grant.ts';
import {
  chain,
  emit,
  put,
  say,
  tellAccepted,
  type EventOf,
  type HandsMove,
  type HandsState,
  type HandsStep,
  type LiveCall,
  type PendingApproval as Pending,
} from './hands-state.ts';
import type { SendKind } from './link.ts';
import { grantIn, isApproverIn } from './workspace-grant.ts';

/** Returns the devices to ask about a call: its brain and the approvers. */
function judges({ grants }: HandsState, { owner, call }: LiveCall, now: number): Array<string | undefined> {
  if (grants === undefined) return [undefined];
  const approvers = [...grants].flatMap(([id, grant]) => (isApproverIn(grant, call.workspace, now) ? [id] : []));
  return owner === undefined ? approvers : [owner, ...approvers];
}

/** Repeats a pending question, which the device may have missed. It can ask for that often, and questions are long. */
export const askAgain = (live: LiveCall, to: string | undefined): HandsMove[] =>
  live.approval === undefined ? [] : [askAt(live, live.approval, to, 'spare')];

/** Whether a device's decision about a call counts. A brain cannot approve its own call unless the owner allows it. */
function mayDecide({ grants }: HandsState, { owner, call }: LiveCall, { request, mayBrainAnswer }: Pending, from: string | undefined): boolean {
  if (grants === undefined) return mayBrainAnswer;
  const grant = grantIn(grants.get(from ?? ''), call.workspace);
  return grant?.role === 'approver' || (grant !== undefined && owner === from && (mayBrainAnswer || namesTool(grant.approves, request.tool)));
}

/** Sends a question to a device, including whether its answer counts. */
const askAt =
  (live: LiveCall, pending: Pending, to: string | undefined, kind: SendKind = 'sure'): HandsMove =>
  (state) =>
    say(
      to,
      {
        ...pending.request,
        ...(live.call.workspace === undefined ? {} : { workspace: live.call.workspace }),
        may_decide: mayDecide(state, live, pending, to),
      },
      kind,
    )(state);

/** Returns the reason a decision does not count; undefined if it does. */
function decisionRefusal(state: HandsState, live: LiveCall, args_hash: string, from: string | undefined, now: number): string | undefined {
  if (live.approval === undefined) return 'Nothing is asked.';
  const grant = grantIn(state.grants?.get(from ?? ''), live.call.workspace);
  if (state.grants !== undefined && (grant === undefined || now >= grant.expires)) return 'This device may not approve calls here.';
  if (!mayDecide(state, live, live.approval, from)) return 'This call has to be approved at the machine, or by an approver.';
  const { request } = live.approval;
  return request.args_hash === args_hash ? undefined : 'The decision is for other arguments.';
}

export function onDecision(state: HandsState, frame: DataFrames['approval_decision'], from: string | undefined, now: number): HandsStep {
  const { tool_call_id: id, approval_id, args_hash, option } = frame;
  const live = state.live.get(id);
  // Already answered. The first answer counts.
  if (live?.approval?.request.approval_id !== approval_id) return [state, []];
  const message = decisionRefusal(state, live, args_hash, from, now);
  if (message !== undefined) return say(from, { type: 'error', code: 'forbidden', message, tool_call_id: id })(state);
  return chain(state, put(id, { ...live, approval: undefined }), emit({ type: 'answer', id, approvalId: approval_id, option }));
}

/** Passes on a question of the pipeline to all who may answer it. */
export function onAsk(state: HandsState, { request, mayBrainAnswer, now }: EventOf<'ask'>): HandsStep {
  const { tool_call_id: id } = request;
  const live = state.live.get(id);
  if (live === undefined) return [state, []];
  const approval = { request, mayBrainAnswer };
  const asked = put(id, { ...live, approval, tellAt: undefined });
  const told = id.startsWith('base:') ? [] : judges(state, live, now).map((to) => askAt(live, approval, to));
  return chain(state, tellAccepted(id), asked, ...told);
}

/** Forgets a question that is no longer open. */
export function onAsked(state: HandsState, { id }: EventOf<'asked'>): HandsStep {
  const live = state.live.get(id);
  return live === undefined ? [state, []] : put(id, { ...live, approval: undefined })(state);
}
