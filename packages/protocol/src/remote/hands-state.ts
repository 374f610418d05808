import type { DataFrame, DataFrames } from './frames.ts';
import type { FinishedCall, LedgerCall, LedgerRow, LedgerView } from './ledger.ts';
import type { Grants } from './workspace-grant.ts';
import { SETTLE_MS } from './settle-times.ts';
import { newLink, sendFrame, startLink, type Link, type LinkEffect, type LinkEvent, type SendKind } from './link.ts';

/** A question waiting for an answer. */
export interface PendingApproval {
  readonly request: DataFrames['approval_request'];
  readonly mayBrainAnswer: boolean;
}

/** An unfinished call. Finished ones are in the ledger. */
export interface LiveCall {
  readonly hash: string;
  readonly phase: 'queued' | 'running';
  readonly call: LedgerCall;
  /** Characters of a call without the protocol; 0 for others, whose length the frame limits. */
  readonly length: number;
  /** The paired device that made it. */
  readonly owner: string | undefined;
  readonly approval: PendingApproval | undefined;
  /** When to tell its brain that it was accepted; undefined once told. */
  readonly tellAt: number | undefined;
}

export interface HandsState {
  readonly link: Link;
  readonly ledger: LedgerView;
  readonly live: ReadonlyMap<string, LiveCall>;
  readonly maxRunning: number;
  /** Undefined if not paired: anyone at the relay may call. Otherwise only sealed frames of these devices count. */
  readonly grants: Grants | undefined;
  /** Whether a `settle` event will come. */
  readonly settling: boolean;
}

export type HandsEvent =
  | LinkEvent
  /** The unfinished calls in the ledger, once at startup. */
  | { readonly type: 'boot'; readonly rows: readonly LedgerRow[]; readonly now: number }
  | { readonly type: 'progress'; readonly id: string; readonly off: number; readonly data: string; readonly message?: string }
  | { readonly type: 'finished'; readonly id: string; readonly result: FinishedCall; readonly now: number }
  /** The pipeline asks for approval. */
  | { readonly type: 'ask'; readonly request: DataFrames['approval_request']; readonly mayBrainAnswer: boolean; readonly now: number }
  /** The question was answered at the machine, or withdrawn. */
  | { readonly type: 'asked'; readonly id: string }
  /** The answer to a `load` effect. */
  | { readonly type: 'loaded'; readonly id: string; readonly result: FinishedCall }
  /** A part of the answer to a read, or what is said about a forwarded port. */
  | { readonly type: 'say'; readonly frame: DataFrames['chunk' | 'forward']; readonly to: string | undefined; readonly appends?: boolean }
  /** The answer to a `seal` effect. */
  | { readonly type: 'sealed'; readonly frame: DataFrame; readonly kind: SendKind }
  /** The answer to an `unseal` effect, with the device that sealed the frame. */
  | { readonly type: 'unsealed'; readonly frame: DataFrame; readonly from: string; readonly now: number }
  /** The answer to a `settle` effect. */
  | { readonly type: 'settle'; readonly now: number }
  /** The owner paired or revoked a device. */
  | { readonly type: 'grants'; readonly grants: Grants; readonly now: number };

export type EventOf<Type extends HandsEvent['type']> = Extract<HandsEvent, { type: Type }>;

/** Effects to perform in order. A `commit` must be durable before later effects. */
export type HandsEffect =
  | LinkEffect
  | { readonly type: 'commit'; readonly row: LedgerRow; readonly body?: string }
  | { readonly type: 'run'; readonly id: string; readonly call: LedgerCall; readonly owner?: string }
  | { readonly type: 'abort'; readonly id: string }
  /** The brain has these results, so their bodies need not be kept. */
  | { readonly type: 'confirmed'; readonly ids: readonly string[] }
  /** Answer with `settle` after this time. */
  | { readonly type: 'settle'; readonly afterMs: number }
  | { readonly type: 'load'; readonly id: string }
  | { readonly type: 'read'; readonly frame: DataFrames['read']; readonly from: string | undefined }
  | { readonly type: 'forward'; readonly frame: DataFrames['forward']; readonly from: string | undefined }
  /** `appends`: whether its receiver can read texts that are appended to their frames. */
  | { readonly type: 'seal'; readonly to: string; readonly frame: DataFrame; readonly kind: SendKind; readonly appends: boolean }
  | { readonly type: 'unseal'; readonly frame: DataFrame }
  | { readonly type: 'answer'; readonly id: string; readonly approvalId: string; readonly option: 'allow_once' | 'reject' };

export type EffectOf<Type extends HandsEffect['type']> = Extract<HandsEffect, { type: Type }>;

/** The next state and the effects. */
export type HandsStep = readonly [state: HandsState, effects: readonly HandsEffect[]];
/** A move of the hands: from a state to the next one, with its effects. */
export type HandsMove = (state: HandsState) => HandsStep;

export const DEFAULT_MAX_RUNNING = 16;

/** Pairing of the hands: their own public keys, and the paired devices. */
export interface Pairing {
  readonly identity: string;
  readonly grants: Grants;
  /** Whether the relay let this machine in before. Default: no. */
  readonly isAccepted?: boolean;
}

export function newHands(inst: string, ledger: LedgerView, maxRunning = DEFAULT_MAX_RUNNING, pairing?: Pairing): HandsState {
  const identity = pairing === undefined ? {} : { identity: pairing.identity };
  const link = newLink({ role: 'hands', inst, ledger: ledger.id, ...identity }, pairing?.isAccepted);
  return { link, ledger, live: new Map(), maxRunning, grants: pairing?.grants, settling: false };
}

export function startHands(state: HandsState): HandsStep {
  const { link, effects } = startLink(state.link);
  return [{ ...state, link }, effects];
}

/** Runs steps in order, each on the result of the previous one. */
export function chain(state: HandsState, ...steps: readonly HandsMove[]): HandsStep {
  const effects: HandsEffect[] = [];
  let current = state;
  for (const next of steps) {
    const [made, more] = next(current);
    current = made;
    effects.push(...more);
  }
  return [current, effects];
}

/** Sends a frame unsealed. */
export const transmit =
  (frame: DataFrame, kind: SendKind = 'sure') =>
  (state: HandsState): HandsStep => {
    const { link, effects } = sendFrame(state.link, frame, kind);
    return [{ ...state, link }, effects];
  };

/** Sends a frame to a brain; sealed if paired. */
export const say =
  (to: string | undefined, frame: DataFrame, kind: SendKind = 'sure', appends = false) =>
  (state: HandsState): HandsStep => {
    if (state.grants === undefined) return transmit(frame, kind)(state);
    // A call from before the pairing has no device to report to.
    return [state, to === undefined ? [] : [{ type: 'seal', to, frame, kind, appends }]];
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

/** Tells the brain that a call was accepted, once. */
export const tellAccepted =
  (id: string) =>
  (state: HandsState): HandsStep => {
    const live = state.live.get(id);
    if (live?.tellAt === undefined) return [state, []];
    return chain(state, put(id, { ...live, tellAt: undefined }), say(live.owner, { type: 'tool_accepted', tool_call_id: id }));
  };

/** Tells the acceptance of the calls that are late, and asks for a `settle` event for the others. */
export const settle =
  (now: number) =>
  (state: HandsState): HandsStep => {
    const waiting = [...state.live].flatMap(([id, { tellAt }]) => (tellAt === undefined ? [] : [{ id, tellAt }]));
    // A time too far in the future: the clock was set back.
    const isLate = (tellAt: number): boolean => tellAt <= now || tellAt > now + SETTLE_MS;
    const late = waiting.filter(({ tellAt }) => isLate(tellAt));
    const next = Math.min(...waiting.map(({ tellAt }) => (isLate(tellAt) ? Number.POSITIVE_INFINITY : tellAt)));
    const told = chain({ ...state, settling: false }, ...late.map(({ id }) => tellAccepted(id)));
    return Number.isFinite(next) ? chain(told[0], emit(...told[1]), expectSettling(next - now)) : told;
  };

/** Asks for a `settle` event, unless one will come. */
export const expectSettling =
  (afterMs = SETTLE_MS) =>
  (state: HandsState): HandsStep =>
    state.settling ? [state, []] : [{ ...state, settling: true }, [{ type: 'settle', afterMs }]];

/** Returns the ledger id prefix for a brain whose ids are only valid on its own connection. */
export const basePrefix = ({ link }: HandsState): string => `base:${link.identity.inst}:${link.conn}:`;
