import type { AgentStatus } from '@synapse/brain';
import type { ShownEffect } from '@synapse/hands';

/** An attempt that is to be made. */
export interface PlannedAttempt {
  /** From 1. */
  readonly index: number;
  /** The branch that it works in. */
  readonly branch: string;
  /** The model as it is named; undefined for the only one of a server. */
  readonly model: string | undefined;
}

/** How the work of an attempt ended. `killed`: its process was ended from outside. */
export interface AttemptWork {
  /** Undefined if it ended before it began a session. */
  readonly session: string | undefined;
  readonly status: AgentStatus | 'killed';
  readonly reason: string | undefined;
  /** The last text of the model. */
  readonly text: string;
  readonly calls: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly durationMs: number;
}

/** The outcome of the check in the branch of an attempt. */
export interface CheckOutcome {
  readonly passed: boolean;
  /** In a few words, such as `exit code 1`. */
  readonly ending: string;
  readonly output: string;
}

/** An attempt that has ended. */
export interface Attempt extends PlannedAttempt, AttemptWork {
  /** Undefined if it was not checked. */
  readonly check: CheckOutcome | undefined;
  /** Number of files and other entries that it changed. */
  readonly changes: number;
  /** What it changed; undefined if it was interrupted. */
  readonly effect: ShownEffect | undefined;
}
