import type { CallStatus } from './frames.ts';

/** The ledger's record of a call, written before the hands act on it. */
export interface LedgerRow {
  /** The call's id; for a brain without the protocol, one derived from the connection. */
  readonly id: string;
  readonly hash: string;
  readonly state: 'accepted' | 'started' | 'done';
  /** The paired device that made it. Others cannot ask about it. */
  readonly owner?: string;
  /** The accepted call; not needed once it is done. */
  readonly call?: LedgerCall;
  /** Set once it is done. */
  readonly result?: ResultFacts;
  /**
   * When its brain says that it was made, in the first row of a call. A clock that is ahead must not let a relay repeat the call after the
   * ledger has forgotten it, so it is remembered for that much longer.
   */
  readonly madeAt?: number;
}

export interface LedgerCall {
  readonly tool: string;
  readonly args: unknown;
  readonly dialect?: string;
  readonly deadlineMs?: number;
  readonly dryRun?: boolean;
  /** The name of the workspace, at a machine that serves several. */
  readonly workspace?: string;
  /** Whether its brain can read a result whose text is appended to its JSON. */
  readonly appends?: boolean;
  /** Whether its brain wants no progress. */
  readonly quiet?: boolean;
  /** Latest start in milliseconds since 1970. */
  readonly startBy?: number;
}

/** A result without its body, which is stored separately. */
export interface ResultFacts {
  readonly status: CallStatus;
  readonly bytes: number;
  readonly sha256: string;
}

/** A finished call's result with its body. */
export interface FinishedCall extends ResultFacts {
  readonly body: string;
}

/** Whether a result has its text after its JSON. Only brains that can read it get such results. */
export const isAppended = ({ body }: FinishedCall): boolean => body.includes('\n');

/** The committed records of a ledger, read-only. */
export interface LedgerView {
  readonly id: string;
  /** Calls made before this time, in milliseconds since 1970, may have been forgotten. */
  readonly horizon: number;
  get(id: string): LedgerRow | undefined;
}
