import type { ClaimCheck } from '../report/claims/check-claims.ts';
import type { Spending } from './spending.ts';

/**
 * How a run ended. `done`: the model finished. `limit`: a limit stopped it. `loop`: the model repeated itself.
 * `paused`: the model cannot be reached; `resume` continues. `cancelled`: it was aborted. `refused`: the
 * provider's filter stopped it. `failed`: the model's server rejected the request.
 */
export type AgentStatus = 'done' | 'limit' | 'loop' | 'paused' | 'cancelled' | 'refused' | 'failed';

/** The result of a run. */
export interface AgentResult {
  readonly status: AgentStatus;
  readonly sessionId: string;
  /** The last text of the model; partial if the run was stopped. */
  readonly text: string;
  /** Why it ended early and what to do, in one sentence. */
  readonly reason?: string;
  readonly spending: Spending;
  /** What the text claims, checked against the calls and receipts of the session; undefined if these are not known. */
  readonly claims?: ClaimCheck;
}

/** The last sentence of a report that a limit stopped. Part of a contract: keep it verbatim. */
export const INCOMPLETE = 'Analysis incomplete (reached step limit). Results based on available data.';
