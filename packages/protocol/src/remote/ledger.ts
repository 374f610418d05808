import type { CallStatus } from './frames.ts';

/** What hands wrote down about a call before they did anything about it. */
export interface LedgerRow {
  /** The call's id, or for a brain without the protocol one that is made of the connection's. */
  readonly id: string;
  readonly hash: string;
  readonly state: 'accepted' | 'started' | 'done';
  /** What to run, as it was accepted; needed no more once it is done. */
  readonly call?: LedgerCall;
  /** Once it is done. */
  readonly result?: ResultFacts;
}

export interface LedgerCall {
  readonly tool: string;
  readonly args: unknown;
  readonly dialect?: string;
  readonly deadlineMs?: number;
  /** Until when it has to be started, in milliseconds since 1970. */
  readonly startBy?: number;
}

/** A result without its body, which is kept elsewhere. */
export interface ResultFacts {
  readonly status: CallStatus;
  readonly bytes: number;
  readonly sha256: string;
}

/** A finished call's body with its facts, as whoever ran it hands it over. */
export interface FinishedCall extends ResultFacts {
  readonly body: string;
}

/** What is committed in a ledger: looked at, never changed from here. */
export interface LedgerView {
  readonly id: string;
  /** Calls that were made before this moment may be forgotten already. */
  readonly horizon: number;
  get(id: string): LedgerRow | undefined;
}
