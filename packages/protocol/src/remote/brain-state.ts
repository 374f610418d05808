import type { DataFrame, DataFrames, Peer } from './frames.ts';
import type { FinishedCall, ResultFacts } from './ledger.ts';
import { newLink, startLink, type Link, type LinkEffect, type LinkEvent } from './link.ts';

/** A call as requested by the brain. */
export interface BrainCall {
  readonly tool: string;
  readonly args: unknown;
  readonly dialect?: string;
  readonly at: number;
  readonly queueMs?: number;
  readonly deadlineMs?: number;
  readonly dryRun?: boolean;
  readonly workspace?: string;
  /** Whether it waits for the result alone, and wants no progress. */
  readonly quiet?: boolean;
}

/** A result that is read in chunks. */
export interface Reading {
  readonly facts: ResultFacts;
  readonly body: string;
  readonly offset: number;
  /** Requested chunks that have not arrived. */
  readonly expected: number;
  /** Number of requests for the next chunk; 0 before its turn. */
  readonly asked: number;
  /** Number of times the body was read and did not fit its hash. */
  readonly damaged?: number;
}

/** A call without a stored result. */
export interface OpenCall {
  readonly call: BrainCall;
  readonly hash: string;
  /** The ledger on which it may run. Fixed before it is first sent, so that it cannot run on two machines. */
  readonly ledger: string | undefined;
  readonly phase: 'held' | 'sent' | 'accepted';
  readonly cancelled: boolean;
  /** What a refusal said that may be wrong. The machine was asked whether that is true. */
  readonly refusal?: string;
  /** Number of times the call did not arrive as it was sent. */
  readonly damaged?: number;
  readonly reading: Reading | undefined;
  readonly askedAt: number;
}

export interface BrainState {
  readonly link: Link;
  readonly peer: Peer | undefined;
  readonly calls: ReadonlyMap<string, OpenCall>;
  /** Whether the result of a call is stored durably. */
  readonly isDone: (id: string) => boolean;
  /** Device id of the paired machine; undefined if not paired. */
  readonly machine: string | undefined;
  /** Calls whose results are stored, and will be confirmed together at the next `settle` event. */
  readonly unconfirmed: readonly string[];
}

export type BrainEvent =
  | LinkEvent
  /** Unfinished calls when the brain last stopped. */
  | { readonly type: 'boot'; readonly calls: ReadonlyMap<string, OpenCall> }
  | { readonly type: 'call'; readonly id: string; readonly call: BrainCall }
  | { readonly type: 'cancel'; readonly id: string }
  /** The answer to a `settle` effect, and the last event before the brain closes its connection. */
  | { readonly type: 'settle'; readonly now: number }
  | { readonly type: 'say'; readonly frame: DataFrames['approval_decision' | 'read' | 'sync' | 'forward'] }
  /** The answer to a `seal` effect. */
  | { readonly type: 'sealed'; readonly frame: DataFrame }
  /** The answer to an `unseal` effect: a frame of the machine. */
  | { readonly type: 'unsealed'; readonly frame: DataFrame; readonly now: number };

export type BrainEffect =
  | LinkEffect
  /** Must be durable before later effects: the call is stored before it is sent. */
  | { readonly type: 'keep'; readonly id: string; readonly call: OpenCall }
  /** Must be durable before hands may forget it. */
  | { readonly type: 'deliver'; readonly id: string; readonly call: OpenCall | undefined; readonly result: FinishedCall }
  /** `unsure`: the relay says so, and whether the call ran is not known. */
  | {
      readonly type: 'refuse';
      readonly id: string;
      readonly call: OpenCall;
      readonly code: DataFrames['error']['code'];
      readonly message: string;
      readonly unsure?: true;
    }
  | { readonly type: 'hear'; readonly frame: DataFrames['tool_accepted' | 'tool_progress' | 'approval_request' | 'chunk' | 'forward'] }
  /** The relay cannot pass on what must not be ignored: it is of an earlier version. */
  | { readonly type: 'unsupported' }
  | { readonly type: 'seal'; readonly to: string; readonly frame: DataFrame }
  | { readonly type: 'unseal'; readonly frame: DataFrame }
  /** Answer with `settle` after this time. */
  | { readonly type: 'settle'; readonly afterMs: number }
  | { readonly type: 'peer'; readonly peer: Peer };

export type EffectOf<Type extends BrainEffect['type']> = Extract<BrainEffect, { type: Type }>;

export type BrainStep = readonly [state: BrainState, effects: readonly BrainEffect[]];
/** Identity of a paired brain, and the device id of its machine. */
export interface BrainPairing {
  readonly identity: string;
  readonly machine: string;
}

export const newBrain = (inst: string, isDone: BrainState['isDone'], pairing?: BrainPairing): BrainState => ({
  link: newLink({ role: 'brain', inst, ...(pairing === undefined ? {} : { identity: pairing.identity }) }),
  peer: undefined,
  calls: new Map(),
  isDone,
  machine: pairing?.machine,
  unconfirmed: [],
});

export function startBrain(state: BrainState): BrainStep {
  const { link, effects } = startLink(state.link);
  return [{ ...state, link }, effects];
}
