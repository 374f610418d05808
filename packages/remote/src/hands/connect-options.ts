import type { Approver } from '@synapse/hands';
import type { HandsEffect, LinkEffect } from '@synapse/protocol/remote';
import type { Pace } from '../pace.ts';
import type { HandsPairing } from './watch-grants.ts';

/** A change of the connection's status, for users. */
export type ConnectionStatus = Omit<Extract<LinkEffect, { type: 'status' }>, 'type'>;

/** Options of {@link ConnectedHands}. */
export interface ConnectOptions {
  /** Full URL, including the path of the session for a relay. */
  readonly url: string;
  /** Name of the ledger. Another name uses another ledger. */
  readonly name?: string;
  /** Required for relays beyond this machine: without it, any brain at the relay may call. */
  readonly pairing?: HandsPairing;
  /** Dialect of calls that name none. */
  readonly dialect?: string;
  readonly stateFolder?: string;
  /** Approver at this machine, for the only workspace. */
  readonly approver?: Approver;
  /** Instead: an approver who may be away, such as an open console. It is asked, but agents are not told that someone can be. */
  readonly window?: Approver;
  /** Whether the brain's side may approve calls of a tool. Default: never. */
  readonly brainApproves?: (tool: string) => boolean;
  readonly onStatus?: (status: ConnectionStatus) => void;
  /** Returns the share of each reconnection delay to wait, from 0 to 1. Default: random, so that machines do not reconnect together. */
  readonly jitter?: () => number;
  /** The clock; for tests. */
  readonly pace?: Pace;
  /** Called before each effect; for tests that kill the process there. */
  readonly beforeEffect?: (effect: HandsEffect) => void;
}
