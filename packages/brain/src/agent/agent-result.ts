import type { Spending } from './spending.ts';

/**
 * How a run ended. `done`: the model said its last word. `limit`: a limit stopped it. `loop`: the model repeated itself.
 * `paused`: the model cannot be reached; `resume` goes on from here. `cancelled`: a person stopped it. `refused`: the
 * provider's filter. `failed`: the model's server rejected the request.
 */
export type AgentStatus = 'done' | 'limit' | 'loop' | 'paused' | 'cancelled' | 'refused' | 'failed';

/** What came of a run. */
export interface AgentResult {
  readonly status: AgentStatus;
  readonly sessionId: string;
  /** The last text of the model; what there is of it where the run was stopped. */
  readonly text: string;
  /** Why it ended before it was done, in one sentence, with what to do. */
  readonly reason?: string;
  readonly spending: Spending;
}

/** The sentence that closes what was stopped by a limit (a contract, so to the letter). */
export const INCOMPLETE = 'Analysis incomplete (reached step limit). Results based on available data.';
