import type { Approver } from '@synapse/hands';
import type { BrainStore } from './brain-store.ts';
import type { Pace } from '../pace.ts';
import type { StoredDevice } from '@synapse/protocol/remote';

/** The part of a WebSocket that all runtimes share. */
export interface BrowserSocket {
  /** 1 while it is open, as in browsers. Default: always open. */
  readonly readyState?: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  /** `problem` tells people why it could not connect, where that is known: browsers do not say. */
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly problem?: string }) => void): void;
}

/** The credentials that `synapse pair` creates for a brain. Secret. */
export interface BrainCredentials {
  /** The keys of this device. */
  readonly device: StoredDevice;
  /** The public keys of the machine. Only frames that it sealed are accepted. */
  readonly machine: string;
}

/** Options of {@link connectHands}. */
export interface BrainOptions {
  /** Name of the session. Default: the fragment of the URL. */
  readonly session?: string;
  /** Credentials of an agent that is paired with the machine, as `synapse pair --print-credentials` prints them, or parsed. Without them, only a relay on this machine accepts the agent. */
  readonly credentials?: BrainCredentials | string;
  /**
   * Name of the workspace at a machine that serves several. Default: what follows the session in the address, as in
   * `wss://relay.example#laptop/api`, or else the one that this device was paired with.
   */
  readonly workspace?: string;
  /**
   * Answers questions about the calls made here, if the owner of the machine lets this device approve. A call can have another one.
   * Default: none; the machine and other approvers are asked.
   */
  readonly approver?: Approver;
  /** Keeps open calls, so that an agent that was restarted goes on with them. Default: they end with the connection. */
  readonly store?: BrainStore;
  /** Creates a WebSocket. Default: the runtime's own. */
  readonly openSocket?: (url: string) => BrowserSocket;
  /** Returns the share of each reconnection delay to wait, from 0 to 1. Default: random, so that clients do not reconnect together. */
  readonly jitter?: () => number;
  /** The clock; for tests. */
  readonly pace?: Pace;
}
