import type { Pace } from '../pace.ts';
import type { RelayConnection, RelaySocket } from './relay-host.ts';
import type { RelayEffect } from '@synapse/protocol/remote';
import type { RelayFigures } from './relay-figures.ts';

/** The destination of a connection: a session, or the mailbox in which devices pair with its machine. */
export interface SessionTarget {
  readonly to: 's' | 'pair';
  readonly session: string;
}

/** Accepts the connections of a relay: in this process alone, or as one of several that share their sessions. */
export interface RelayBackend extends AsyncDisposable {
  /** Whether clients must prove their identity. If not, the relay is for the programs of this machine. */
  readonly demandsPairing: boolean;
  /** @param audience the relay's name as dialed by the party, and the session */
  connect(target: SessionTarget, socket: RelaySocket, audience: string): RelayConnection;
  /** Enrolls a machine that has the code of an invitation. */
  enroll(socket: RelaySocket): RelayConnection;
  /** What it runs now. */
  figures(): RelayFigures;
  /** Whether it can reach its records. */
  isHealthy(): boolean;
  /** Rejects if the storage cannot be written any more. */
  readonly failed: Promise<never>;
}

/** Options of every backend, mostly for tests. */
export interface BackendOptions {
  /** Called with a line for users when the records cannot be read any more, and when they can again. */
  readonly onStatus?: ((line: string) => void) | undefined;
  /** The clock. */
  readonly pace?: Pace | undefined;
  /** Called before each effect, for tests that kill the process there. */
  readonly beforeEffect?: ((effect: RelayEffect) => void) | undefined;
}
