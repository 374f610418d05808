import type { DataFrame, DataFrames } from './frames.ts';
import type { FinishedCall, LedgerCall, LedgerRow, LedgerView } from './ledger.ts';
import { newLink, sendFrame, startLink, type Link, type LinkEffect, type LinkEvent } from './link.ts';

/** A question that waits for an answer. */
interface PendingApproval {
  readonly request: DataFrames['approval_request'];
  readonly mayBrainAnswer: boolean;
}

/** A call that is not done. What is done stands in the ledger. */
export interface LiveCall {
  readonly hash: string;
  readonly phase: 'queued' | 'running';
  readonly call: LedgerCall;
  readonly approval: PendingApproval | undefined;
}

export interface HandsState {
  readonly link: Link;
  readonly ledger: LedgerView;
  readonly live: ReadonlyMap<string, LiveCall>;
  readonly maxRunning: number;
}

export type HandsEvent =
  | LinkEvent
  /** What the ledger holds of calls that are not done, once, at the start. */
  | { readonly type: 'boot'; readonly rows: readonly LedgerRow[]; readonly now: number }
  | { readonly type: 'progress'; readonly id: string; readonly off: number; readonly data: string; readonly message?: string }
  | { readonly type: 'finished'; readonly id: string; readonly result: FinishedCall; readonly now: number }
  /** The pipeline asks. */
  | { readonly type: 'ask'; readonly request: DataFrames['approval_request']; readonly mayBrainAnswer: boolean }
  /** The question was answered at the machine, or withdrawn. */
  | { readonly type: 'asked'; readonly id: string }
  /** A body that was asked for with `load`. */
  | { readonly type: 'loaded'; readonly id: string; readonly result: FinishedCall }
  | { readonly type: 'chunk'; readonly frame: DataFrames['chunk'] };

/** What is to be done, in this order. A `commit` is durable before anything after it happens. */
export type HandsEffect =
  | LinkEffect
  | { readonly type: 'commit'; readonly row: LedgerRow; readonly body?: string }
  /** The brain has the result: its body may go when room is needed. */
  | { readonly type: 'received'; readonly id: string }
  | { readonly type: 'run'; readonly id: string; readonly call: LedgerCall }
  | { readonly type: 'abort'; readonly id: string }
  | { readonly type: 'load'; readonly id: string }
  | { readonly type: 'read'; readonly frame: DataFrames['read'] }
  | { readonly type: 'answer'; readonly id: string; readonly approvalId: string; readonly option: 'allow_once' | 'reject' };

/** The state that an event leads to, and what is to be done. */
export type HandsStep = readonly [state: HandsState, effects: readonly HandsEffect[]];

export const DEFAULT_MAX_RUNNING = 16;

export function newHands(inst: string, ledger: LedgerView, maxRunning = DEFAULT_MAX_RUNNING): HandsState {
  return { link: newLink({ role: 'hands', inst, ledger: ledger.id }), ledger, live: new Map(), maxRunning };
}

export function startHands(state: HandsState): HandsStep {
  const { link, effects } = startLink(state.link);
  return [{ ...state, link }, effects];
}

/** Runs steps one after the other, each on what the one before made. */
export function chain(state: HandsState, ...steps: ReadonlyArray<(state: HandsState) => HandsStep>): HandsStep {
  const effects: HandsEffect[] = [];
  let current = state;
  for (const next of steps) {
    const [made, more] = next(current);
    current = made;
    effects.push(...more);
  }
  return [current, effects];
}

export const say =
  (frame: DataFrame, kind: 'sure' | 'lossy' = 'sure') =>
  (state: HandsState): HandsStep => {
    const { link, effects } = sendFrame(state.link, frame, kind);
    return [{ ...state, link }, effects];
  };

export const emit =
  (...effects: readonly HandsEffect[]) =>
  (state: HandsState): HandsStep => [state, effects];

export const put =
  (id: string, call: LiveCall | undefined) =>
  (state: HandsState): HandsStep => {
    const live = new Map(state.live);
    if (call === undefined) live.delete(id);
    else live.set(id, call);
    return [{ ...state, live }, []];
  };

/** The id of a call in the ledger, where its brain gives ids that mean nothing on the next connection. */
export const basePrefix = ({ link }: HandsState): string => `base:${link.identity.inst}:${link.conn}:`;
